"""Functions on one another's results."""

import inflection


def test_identifiers_there_and_back():
    names = ("DeviceType", "AreaOfTwo", "Word")
    snakes = [inflection.underscore(name) for name in names]
    assert snakes == ["device_type", "area_of_two", "word"]
    assert [inflection.camelize(snake) for snake in snakes] == ["DeviceType", "AreaOfTwo", "Word"]
    assert inflection.camelize(inflection.underscore("IOError")) == "IoError"


def test_a_title_of_a_table():
    assert inflection.titleize(inflection.tableize("UserAccount")) == "User Accounts"
    assert inflection.parameterize(inflection.humanize("café_name")) == "cafe-name"
