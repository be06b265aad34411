//! Wrong expressions are refused with a message and the place of the fault.

use pliant_expression::Expression;

fn error(source: &str) -> (String, String) {
    let error = Expression::compile(source, &["x", "y", "z", "t"]).expect_err(source);
    (error.to_string(), source.get(error.span.clone()).expect("spans fall on characters").to_owned())
}

#[test]
fn messages_say_what_and_where() {
    for (source, message, place) in [
        ("", "expected a number, a name or `(`, found the end", ""),
        ("1 +", "expected a number, a name or `(`, found the end", ""),
        ("2 x", "expected an operator, such as `*`, found `x`", "x"),
        ("2x", "expected an operator, such as `*`, found `x`", "x"),
        ("x(2)", "expected an operator, such as `*`, found `(`", "("),
        ("(1 + 2", "expected an operator or `)`, found the end", ""),
        ("1)", "expected an operator, found `)`", ")"),
        ("x ? 1", "expected an operator or `:`, found the end", ""),
        ("sni(x)", "unknown name `sni`; did you mean `sin`?", "sni"),
        ("sqr(x)", "unknown name `sqr`; did you mean `sqrt`?", "sqr"),
        ("w + 1", "unknown name `w`; known here: x, y, z, t, pi, tau, e, and functions such as `sin`", "w"),
        ("1 + sin", "`sin` is a function: write `sin(...)`", "sin"),
        ("sin(x, y)", "`sin` takes 1 argument, got 2", "sin"),
        ("clamp(x)", "`clamp` takes 3 arguments, got 1", "clamp"),
        ("noise()", "`noise` takes 1 to 3 arguments, got 0", "noise"),
        ("if(x, 1)", "`if` takes 3 arguments, got 2", "if"),
        ("0 < x < 1", "comparisons cannot be chained: write `a < b and b < c`", "<"),
        ("x ** 2", "`**` is not an operator here: write `^`", "**"),
        ("x = 2", "`=` is not an operator here: write `==`", "="),
        ("x & y", "`&` is not an operator here: write `and`", "&"),
        ("1.2.3", "`1.2.3` is not a number", "1.2.3"),
        ("1e400", "`1e400` is not a number", "1e400"),
        ("x + π", "`π` does not belong in an expression", "π"),
        ("x; y", "`;` does not belong in an expression", ";"),
        ("x + and", "expected a number, a name or `(`, found `and`", "and"),
    ] {
        assert_eq!(error(source), (message.to_owned(), place.to_owned()), "{source}");
    }
}

#[test]
fn five_thousand_parentheses_are_refused() {
    let nested = format!("{}x{}", "(".repeat(2000), ")".repeat(2000));
    assert_eq!(error(&nested).0, "nested too deeply: at most 48 levels");
    let long = format!("{}x{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(error(&long).0, "too long: 10001 bytes, at most 4096");
    assert_eq!(error(&"-".repeat(4000)).0, "nested too deeply: at most 48 levels");
    assert_eq!(error(&"2^".repeat(2000)).0, "nested too deeply: at most 48 levels");
    assert_eq!(error(&"x?".repeat(2000)).0, "nested too deeply: at most 48 levels");
}

#[test]
fn costly_expressions_are_refused() {
    let noisy = vec!["noise(x,y,z)"; 300].join("+");
    assert_eq!(
        error(&noisy).0,
        "too costly to evaluate for every particle: simplify it (limit 4096 operations)"
    );
}

#[test]
fn no_text_panics() {
    let pieces = [
        "x", "t", "1", ".", "e", "(", ")", ",", "+", "-", "*", "/", "^", "%", "<", "=", "!", "?", ":", "if(",
        "sin(", "noise(", "random(", "and", "not", " ", "é", "1e", "max(", "&", "|", "0",
    ];
    let mut state = 1_u64;
    for _ in 0..200_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[usize::try_from(state >> 33).unwrap() % pieces.len()]);
        }
        match Expression::compile(&text, &["x", "t"]) {
            Ok(expression) => {
                expression.evaluate(&[0.5, 2.0]);
            }
            Err(error) => assert!(text.get(error.span.clone()).is_some(), "{text}"),
        }
    }
}
