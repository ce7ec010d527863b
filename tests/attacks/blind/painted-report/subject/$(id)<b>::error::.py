x = eval(input())
