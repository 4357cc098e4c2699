module example.test/chat

go 1.19

require chatdouble.test/go v0.1.0
