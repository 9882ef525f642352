(* The program in a page: `judge`, a property of JavaScript's global object, takes the name of a file and its bytes,
   each a character, and returns the exit status and the printed lines. The caller limits the time. *)

module Js = Jsoo_runtime.Js

external export : Js.t -> Js.t -> ('a, 'b) Js.meth_callback -> unit = "caml_js_set"

let judge name bytes =
  let status, lines = Verdicts.of_text (Js.to_string name) (Js.to_bytestring bytes) in
  Js.array [| Js.number_of_float (float_of_int status); Js.array (Array.of_list (List.map Js.bytestring lines)) |]

let () = export (Js.pure_js_expr "globalThis") (Js.string "judge") (Js.callback_with_arity 2 judge)
