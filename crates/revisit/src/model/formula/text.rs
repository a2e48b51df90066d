//! Formulas as people read and write them: `t * X - log(n + 0.5)`.
//!
//! `+ - * /` bind as usual, functions are `log(a)`, `exp(a)` and `pow(a, b)`, `e` is Euler's number. What is printed reads
//! back as the very same tree: a right operand of equal rank keeps its brackets, and numbers have all their digits.

use std::f64::consts::E;
use std::fmt;
use std::str::FromStr;

use super::expression::{Formula, FormulaError, Node};
use super::function::Function;
use super::variable::Variable;

/// Brackets and calls may be nested this deep in a text.
const NESTING: usize = 256;

/// How a function is written, and how tightly an operator binds.
fn notation(function: Function) -> (&'static str, u8) {
    match function {
        Function::Add => (" + ", 1),
        Function::Subtract => (" - ", 1),
        Function::Multiply => (" * ", 2),
        Function::Divide => (" / ", 2),
        Function::Power => ("pow", 3),
        Function::Logarithm => ("log", 3),
        Function::Exponential => ("exp", 3),
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written(|node| match node {
            Node::Constant(value) => number(value),
            Node::Variable(variable) => variable.name().to_owned(),
            Node::Function(_) => String::new(),
        }))
    }
}

impl Formula {
    /// The formula, the same with a page's numbers in it, and the score they give.
    ///
    /// ```
    /// use revisit::model::formula::{Formula, Variable};
    /// let formula: Formula = "t * log(X)".parse().unwrap();
    /// let input = |variable| if variable == Variable::Waited { 2.5 } else { 3.0 };
    /// assert_eq!(formula.explain(input), "t * log(X) = 2.5 * log(3) = 2.747");
    /// ```
    pub fn explain(&self, input: impl Fn(Variable) -> f64) -> String {
        let filled = self.written(|node| match node {
            Node::Constant(value) => short(value),
            Node::Variable(variable) => short(input(variable)),
            Node::Function(_) => String::new(),
        });
        let score = short(self.evaluate(input));
        if filled == score { format!("{self} = {score}") } else { format!("{self} = {filled} = {score}") }
    }

    /// The formula with constants and variables written as told.
    fn written(&self, leaf: impl Fn(Node) -> String) -> String {
        let mut stack: Vec<(String, u8)> = Vec::new();
        for &node in self.nodes() {
            let Node::Function(function) = node else {
                stack.push((leaf(node), 3));
                continue;
            };
            let (name, rank) = notation(function);
            let second = if function.arguments() == 2 { stack.pop() } else { None };
            let first = stack.pop().unwrap_or_default();
            let text = match second {
                None => format!("{name}({})", first.0),
                Some(second) if rank == 3 => format!("{name}({}, {})", first.0, second.0),
                Some(second) => format!("{}{name}{}", bracketed(first, rank), bracketed(second, rank + 1)),
            };
            stack.push((text, rank));
        }
        stack.pop().unwrap_or_default().0
    }
}

/// A text in brackets if it binds less tightly than its place asks for.
fn bracketed((text, rank): (String, u8), least: u8) -> String {
    if rank < least { format!("({text})") } else { text }
}

/// A number with all its digits.
fn number(value: f64) -> String {
    if value == E {
        return "e".to_owned();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number with about four digits, for people.
fn short(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e7).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let decimals = (3 - magnitude.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Formula, FormulaError> {
        let mut reader = Reader { text, at: 0, nodes: Vec::new(), nesting: 0 };
        reader.sum()?;
        if reader.peek().is_some() {
            return Err(reader.expected("an operator or the end"));
        }
        Formula::new(reader.nodes)
    }
}

/// Reads a formula from left to right and writes its nodes in postfix order.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
    nesting: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> FormulaError {
        FormulaError::Expected { at: self.at, expected }
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let spaces = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += spaces;
        self.rest().first().copied()
    }

    fn take(&mut self, byte: u8, name: &'static str) -> Result<(), FormulaError> {
        if self.peek() != Some(byte) {
            return Err(self.expected(name));
        }
        self.at += 1;
        Ok(())
    }

    fn sum(&mut self) -> Result<(), FormulaError> {
        self.nesting += 1;
        if self.nesting > NESTING {
            return Err(FormulaError::TooDeep);
        }
        self.product()?;
        while let Some(operator @ (b'+' | b'-')) = self.peek() {
            self.at += 1;
            self.product()?;
            self.nodes.push(Node::Function(if operator == b'+' { Function::Add } else { Function::Subtract }));
        }
        self.nesting -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        self.operand()?;
        while let Some(operator @ (b'*' | b'/')) = self.peek() {
            self.at += 1;
            self.operand()?;
            self.nodes.push(Node::Function(if operator == b'*' { Function::Multiply } else { Function::Divide }));
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), FormulaError> {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                self.sum()?;
                self.take(b')', "')'")
            }
            Some(b'-' | b'.' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.name(),
            _ => Err(self.expected("a number, a name or '('")),
        }
    }

    fn number(&mut self) -> Result<(), FormulaError> {
        let rest = self.rest();
        let mut end = usize::from(rest[0] == b'-');
        let digits = |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        end += digits(end);
        if rest.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if rest.get(end) == Some(&b'e') {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'-' | b'+')));
            let exponent = digits((end + 1 + sign).min(rest.len()));
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let text = &self.text[self.at..self.at + end];
        let value: f64 = text.parse().map_err(|_| self.expected("a number"))?;
        if !value.is_finite() {
            return Err(FormulaError::NotFinite(text.to_owned()));
        }
        self.at += end;
        self.nodes.push(Node::Constant(value));
        Ok(())
    }

    fn name(&mut self) -> Result<(), FormulaError> {
        let length = self.rest().iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let name = &self.text[self.at..self.at + length];
        if let Some(function) = Function::ALL.into_iter().find(|function| notation(*function).0 == name) {
            self.at += length;
            return self.call(function);
        }
        let node = match Variable::from_name(name) {
            Some(variable) => Node::Variable(variable),
            None if name == "e" => Node::Constant(E),
            None => return Err(FormulaError::UnknownName(name.to_owned())),
        };
        self.at += length;
        self.nodes.push(node);
        Ok(())
    }

    fn call(&mut self, function: Function) -> Result<(), FormulaError> {
        self.take(b'(', "'('")?;
        self.sum()?;
        if function.arguments() == 2 {
            self.take(b',', "','")?;
            self.sum()?;
        }
        self.take(b')', "')'")?;
        self.nodes.push(Node::Function(function));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::any_formula;
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> String {
        text.parse::<Formula>().map_or_else(|error| error.to_string(), |formula| formula.to_string())
    }

    #[test]
    fn brackets_stay_where_the_tree_needs_them() {
        for text in
            ["t * X", "a", "t - (X - n)", "(t + 1) * e", "t - -3", "pow(t, log(X)) / exp(1e-7)", "-0.5 * t / (n / X)"]
        {
            assert_eq!(said(text), if text == "a" { said("a") } else { text.to_owned() });
        }
        assert_eq!(said("((t-X))-n"), "t - X - n");
        assert_eq!(said("1e3*e+10e"), "the formula cannot be read at byte 8: expected an operator or the end");
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        assert_eq!(said("t +"), "the formula cannot be read at byte 3: expected a number, a name or '('");
        assert_eq!(said("pow(t)"), "the formula cannot be read at byte 5: expected ','");
        assert_eq!(said("1e999"), "'1e999' is no finite number");
        assert_eq!(said("- t"), "the formula cannot be read at byte 0: expected a number");
        assert!(
            said("t * speed")
                .starts_with("a formula knows no 'speed'; it knows e, log, exp, pow and the variables n, X, t")
        );
        assert_eq!(said(&"(".repeat(100_000)), FormulaError::TooDeep.to_string());
        assert_eq!(said(&format!("t{}", " + t".repeat(100_000))), FormulaError::TooDeep.to_string());
    }

    #[test]
    fn numbers_for_people_are_short() {
        assert_eq!(
            [0.0, 1.0, 2.34567, 1234.5, 1e9, -0.0456789].map(short),
            ["0", "1", "2.346", "1234", "1.00e9", "-0.04568"]
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same_tree(formula in any_formula()) {
            prop_assert_eq!(formula.to_string().parse::<Formula>(), Ok(formula));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[-+*/()., 0-9enXtlogpwx_é]{0,40}") {
            let _ = text.parse::<Formula>();
        }
    }
}
