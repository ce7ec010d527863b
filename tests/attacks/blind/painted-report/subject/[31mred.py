def f():
    return eval(input())
