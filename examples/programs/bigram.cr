// A bigram model that predicts b: a is here, and more than half of what followed an a so far is b.
#import pred
after_a = ((#[pred] "a") == 1)
b_followed = #(after_a && "b")
any_followed = #after_a
predicts_b = "a" && (2*b_followed > any_followed)
