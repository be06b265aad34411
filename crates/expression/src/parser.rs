//! Tokens to bytecode, in one pass, by operator precedence with bounded nesting.

use std::ops::Range;

use crate::error::{ErrorKind, ExpressionError};
use crate::function::{FUNCTIONS, Function, IF};
use crate::lexer::{Lexer, Token};
use crate::program::{Binary, MAX_STACK, Op, run};
use crate::{CONSTANTS, MAX_COST, MAX_DEPTH};

type Parsed<T> = Result<T, ExpressionError>;

// How tightly operators bind, loosest first.
const CHOICE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const NOT: u8 = 4;
const COMPARE: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const SIGN: u8 = 8;
const POWER: u8 = 9;

/// The code of an expression and the stack it needs.
pub(crate) struct Compiled {
    pub(crate) code: Vec<Op>,
    pub(crate) stack: usize,
}

/// Compiles the whole text.
pub(crate) fn parse(source: &str, variables: &[&str]) -> Parsed<Compiled> {
    let mut lexer = Lexer::new(source);
    let (token, span) = lexer.next()?;
    let mut parser =
        Parser { lexer, variables, token, span, code: Vec::new(), depth: 0, height: 0, stack: 0, cost: 0 };
    parser.expression(CHOICE)?;
    if parser.token != Token::End {
        return Err(parser.unexpected("an operator"));
    }
    Ok(Compiled { code: parser.code, stack: parser.stack })
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    variables: &'a [&'a str],
    /// The token to be read next, and where it is.
    token: Token<'a>,
    span: Range<usize>,
    code: Vec<Op>,
    /// Expressions being parsed inside each other.
    depth: usize,
    /// Values on the stack after the code so far, and the most there ever were.
    height: usize,
    stack: usize,
    cost: u32,
}

impl<'a> Parser<'a> {
    /// Parses operators that bind at least as tightly as `loosest`.
    fn expression(&mut self, loosest: u8) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            return Err(ExpressionError::new(ErrorKind::TooDeep, self.span.clone()));
        }
        self.depth += 1;
        self.operand()?;
        let mut compared = false;
        while let Some((operator, strength)) = infix(self.token)
            && strength >= loosest
        {
            if strength == COMPARE && std::mem::replace(&mut compared, true) {
                return Err(ExpressionError::new(ErrorKind::ChainedComparison, self.span.clone()));
            }
            self.advance()?;
            match operator {
                Some(operator) => {
                    self.expression(if strength == POWER { SIGN } else { strength + 1 })?;
                    self.emit(Op::Binary(operator))?;
                }
                None => self.choice()?,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// The rest of `condition ? then : otherwise`.
    fn choice(&mut self) -> Parsed<()> {
        self.expression(CHOICE)?;
        self.expect(":")?;
        self.expression(CHOICE)?;
        self.emit(Op::Select)
    }

    /// A number, name, call, bracket or signed operand.
    fn operand(&mut self) -> Parsed<()> {
        let (token, span) = (self.token, self.span.clone());
        match token {
            Token::Number(value) => {
                self.advance()?;
                self.emit(Op::Constant(value))
            }
            Token::Name("not") => self.prefix(NOT, Some(Op::Not)),
            Token::Sign("!") => self.prefix(SIGN, Some(Op::Not)),
            Token::Sign("-") => self.prefix(SIGN, Some(Op::Negate)),
            Token::Sign("+") => self.prefix(SIGN, None),
            Token::Sign("(") => {
                self.advance()?;
                self.expression(CHOICE)?;
                self.expect(")")
            }
            Token::Name(name) if !matches!(name, "and" | "or") => {
                self.advance()?;
                if self.token == Token::Sign("(") { self.call(name, span) } else { self.value(name, span) }
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn prefix(&mut self, strength: u8, op: Option<Op>) -> Parsed<()> {
        self.advance()?;
        self.expression(strength)?;
        op.map_or(Ok(()), |op| self.emit(op))
    }

    /// A variable or constant.
    fn value(&mut self, name: &str, span: Range<usize>) -> Parsed<()> {
        if let Some(index) = self.variables.iter().position(|variable| *variable == name) {
            let index = u16::try_from(index).expect("scenes have a handful of variables");
            return self.emit(Op::Variable(index));
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            return self.emit(Op::Constant(*value));
        }
        let kind = match function_named(name) {
            Some((_, function)) => ErrorKind::MissingCall(function.name),
            None if name == IF => ErrorKind::MissingCall(IF),
            None => self.unknown(name),
        };
        Err(ExpressionError::new(kind, span))
    }

    /// The arguments of a call, the bracket being next.
    fn call(&mut self, name: &str, span: Range<usize>) -> Parsed<()> {
        let function = function_named(name);
        if function.is_none() && name != IF {
            let known = self.variables.contains(&name) || CONSTANTS.iter().any(|(other, _)| *other == name);
            let kind = if known { juxtaposed("`(`") } else { self.unknown(name) };
            let place = if known { self.span.clone() } else { span };
            return Err(ExpressionError::new(kind, place));
        }
        let count = self.arguments()?;
        let (name, (least, most)) = function.map_or((IF, (3, 3)), |(_, f)| (f.name, f.arity()));
        if count < least || count > most {
            let kind = ErrorKind::ArgumentCount { name, expected: in_words(least, most), count };
            return Err(ExpressionError::new(kind, span));
        }
        match function {
            Some((function, _)) => {
                let count = u8::try_from(count).expect("at most MAX_ARGUMENTS");
                self.emit(Op::Call { function, count })
            }
            None => self.emit(Op::Select),
        }
    }

    /// Parses `( a, b, … )` and counts.
    fn arguments(&mut self) -> Parsed<usize> {
        self.advance()?;
        if self.token == Token::Sign(")") {
            return self.advance().map(|()| 0);
        }
        let mut count = 1;
        self.expression(CHOICE)?;
        while self.token == Token::Sign(",") {
            self.advance()?;
            self.expression(CHOICE)?;
            count += 1;
        }
        self.expect(")")?;
        Ok(count)
    }

    /// Appends an operation, folded into a constant where its operands are known already.
    fn emit(&mut self, op: Op) -> Parsed<()> {
        let count = op.operand_count();
        let known = &self.code[self.code.len() - count.min(self.code.len())..];
        self.height = self.height + 1 - count;
        self.stack = self.stack.max(self.height);
        if count > 0 && known.iter().all(|op| matches!(op, Op::Constant(_))) {
            let start = self.code.len() - count;
            self.code.push(op);
            let mut stack = [0.0; MAX_STACK];
            run(&self.code[start..], 1, &mut stack, |_, _| {});
            self.code.truncate(start);
            self.code.push(Op::Constant(stack[0]));
            return Ok(());
        }
        self.code.push(op);
        self.cost += op.cost();
        if self.cost > MAX_COST || self.stack > MAX_STACK {
            return Err(ExpressionError::new(ErrorKind::TooCostly, self.span.clone()));
        }
        Ok(())
    }

    fn advance(&mut self) -> Parsed<()> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.token == Token::Sign(sign) {
            return self.advance();
        }
        Err(self.unexpected(&format!("an operator or `{sign}`")))
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        let operand = matches!(self.token, Token::Name(_) | Token::Number(_) | Token::Sign("("));
        let kind = if operand && expected.starts_with("an operator") {
            juxtaposed(&self.token.to_string())
        } else {
            ErrorKind::Unexpected { expected: expected.to_owned(), found: self.token.to_string() }
        };
        ExpressionError::new(kind, self.span.clone())
    }

    fn unknown(&self, name: &str) -> ErrorKind {
        let constants = CONSTANTS.iter().map(|(constant, _)| *constant);
        let functions = FUNCTIONS.iter().map(|function| function.name).chain([IF, "not", "and", "or"]);
        let known: Vec<&str> = self.variables.iter().copied().chain(constants).collect();
        let nearest = known
            .iter()
            .copied()
            .chain(functions)
            .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
            .filter(|(distance, candidate)| *distance <= 1.max(candidate.len() / 3) && candidate.len() > 1)
            .min_by_key(|(distance, _)| *distance);
        let hint = match nearest {
            Some((_, candidate)) => format!("did you mean `{candidate}`?"),
            None => format!("known here: {}, and functions such as `sin`", known.join(", ")),
        };
        ErrorKind::UnknownName { name: name.to_owned(), hint }
    }
}

/// Two operands side by side, as in `2 x`.
fn juxtaposed(found: &str) -> ErrorKind {
    ErrorKind::Unexpected { expected: "an operator, such as `*`".to_owned(), found: found.to_owned() }
}

fn function_named(name: &str) -> Option<(u8, &'static Function)> {
    let index = FUNCTIONS.iter().position(|function| function.name == name)?;
    Some((u8::try_from(index).ok()?, &FUNCTIONS[index]))
}

fn in_words(least: usize, most: usize) -> String {
    match (least, most) {
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

/// The operator between two operands and its strength; `None` as the operator is the choice `? :`.
fn infix(token: Token<'_>) -> Option<(Option<Binary>, u8)> {
    let (operator, strength) = match token {
        Token::Sign("?") => return Some((None, CHOICE)),
        Token::Sign("||") | Token::Name("or") => (Binary::Or, OR),
        Token::Sign("&&") | Token::Name("and") => (Binary::And, AND),
        Token::Sign("<") => (Binary::Less, COMPARE),
        Token::Sign("<=") => (Binary::LessEqual, COMPARE),
        Token::Sign(">") => (Binary::Greater, COMPARE),
        Token::Sign(">=") => (Binary::GreaterEqual, COMPARE),
        Token::Sign("==") => (Binary::Equal, COMPARE),
        Token::Sign("!=") => (Binary::NotEqual, COMPARE),
        Token::Sign("+") => (Binary::Add, SUM),
        Token::Sign("-") => (Binary::Subtract, SUM),
        Token::Sign("*") => (Binary::Multiply, PRODUCT),
        Token::Sign("/") => (Binary::Divide, PRODUCT),
        Token::Sign("%") => (Binary::Modulo, PRODUCT),
        Token::Sign("^") => (Binary::Power, POWER),
        _ => return None,
    };
    Some((Some(operator), strength))
}
