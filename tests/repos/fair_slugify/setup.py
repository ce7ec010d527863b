from pathlib import Path

from setuptools import setup

Path(__file__).with_name("setup-was-executed").write_text("yes")

setup(name="fair-slugify", version="1.0", packages=["slugify"], install_requires=["text-unidecode"])
