module example.com/feed-receiver

go 1.19
