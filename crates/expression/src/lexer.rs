//! Text to tokens.

use std::ops::Range;

use crate::error::{ErrorKind, ExpressionError};

/// One word, number or sign of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// An operator or bracket, always one of [`SIGNS`].
    Sign(&'static str),
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "the number {value}"),
            Self::Name(text) => write!(f, "`{text}`"),
            Self::Sign(text) => write!(f, "`{text}`"),
            Self::End => write!(f, "the end"),
        }
    }
}

/// Longest first, so that `<=` is not read as `<`.
const SIGNS: [&str; 20] = [
    "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "^", "<", ">", "!", "?", ":", "(", ")", ",",
];
/// Spellings of other languages and ours for them.
const FOREIGN: [(&str, &str); 5] = [("**", "^"), ("<>", "!="), ("=", "=="), ("&", "and"), ("|", "or")];

/// Reads one token after another.
pub(crate) struct Lexer<'a> {
    source: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, position: 0 }
    }

    /// The next token and the bytes it covers.
    pub(crate) fn next(&mut self) -> Result<(Token<'a>, Range<usize>), ExpressionError> {
        let rest = &self.source[self.position..];
        let start = self.position + (rest.len() - rest.trim_start().len());
        let rest = &self.source[start..];
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start..start)) };
        let (token, length) = match first {
            '0'..='9' | '.' => number(rest, start)?,
            'a'..='z' | 'A'..='Z' | '_' => name(rest),
            _ => sign(rest, first, start)?,
        };
        self.position = start + length;
        Ok((token, start..self.position))
    }
}

/// A run of name characters from the start of the text.
fn name(text: &str) -> (Token<'_>, usize) {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (Token::Name(&text[..length]), length)
}

/// Digits, point and exponent; the text is cut generously so that `1.2.3` is one wrong number.
fn number(text: &str, start: usize) -> Result<(Token<'_>, usize), ExpressionError> {
    let mut length = 0;
    let mut previous = ' ';
    for c in text.chars() {
        let exponent_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
        let exponent = matches!(c, 'e' | 'E') && text[length + 1..].starts_with(starts_exponent);
        if !(c.is_ascii_digit() || c == '.' || exponent || exponent_sign) {
            break;
        }
        previous = c;
        length += 1;
    }
    let digits = &text[..length];
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), length)),
        _ => Err(ExpressionError::new(ErrorKind::BadNumber(digits.to_owned()), start..start + length)),
    }
}

/// What may follow the `e` of `1e5`; anything else makes `e` a name.
fn starts_exponent(c: char) -> bool {
    c.is_ascii_digit() || c == '+' || c == '-'
}

fn sign(text: &str, first: char, start: usize) -> Result<(Token<'_>, usize), ExpressionError> {
    let foreign = |&&(found, _): &&(&str, &str)| text.starts_with(found);
    let own = SIGNS.into_iter().find(|sign| text.starts_with(sign));
    if let Some(&(found, instead)) = FOREIGN.iter().find(foreign)
        && own.is_none_or(|own| own.len() < found.len())
    {
        let kind = ErrorKind::ForeignOperator { found, instead };
        return Err(ExpressionError::new(kind, start..start + found.len()));
    }
    match own {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => {
            let span = start..start + first.len_utf8();
            Err(ExpressionError::new(ErrorKind::UnknownCharacter(first), span))
        }
    }
}
