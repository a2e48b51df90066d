//! A formula over n, X and t compiled for many states at once.
//!
//! Equal subexpressions are computed once, and a subtree of one variable is a table with a value for each number of
//! cycles, so that most logarithms and powers are looked up. What is left are instructions over columns, a few dozen states
//! long, which the compiler turns into vector code. Each value is that of [`Formula::evaluate`](crate::model::formula::Formula::evaluate), bit for bit.

use super::super::graph::{Graph, Value};
use crate::model::formula::{Function, Variable};

/// States computed together: few enough for the columns of a usual program to stay in the nearest cache.
const CHUNK: usize = 64;

/// A column of one value for each state of a chunk.
type Column = [f64; CHUNK];

/// The n, X and t of a page, all whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    pub(super) visits: u32,
    pub(super) changes: u32,
    pub(super) waited: u32,
}

impl State {
    fn get(self, variable: Variable) -> u32 {
        match variable {
            Variable::Visits => self.visits,
            Variable::Changes => self.changes,
            _ => self.waited,
        }
    }
}

/// Fills one column.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    /// Looks the variable up in the table that begins at a place.
    Look(Variable, usize),
    /// A function of two earlier columns.
    Apply(Function, u32, u32),
    /// A number, the same for all states: set at compilation.
    Keep,
}

/// A compiled formula and the columns it works on. Compiling anew keeps the memory.
#[derive(Debug, Default)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    columns: Vec<Column>,
    /// The tables one after the other, and where that of each value begins.
    tables: Vec<f64>,
    rows: Vec<Option<usize>>,
}

/// Which variables a value depends on.
type Needs = u8;

fn need(variable: Variable) -> Needs {
    1 << (variable as u8).min(7)
}

impl Program {
    /// Compiles a formula of the thesis' variables for whole numbers up to `largest`.
    pub(super) fn compile(&mut self, graph: &Graph, root: u32, largest: usize) {
        self.instructions.clear();
        self.tables.clear();
        let values = graph.values();
        self.rows.clear();
        self.rows.resize(values.len(), None);
        let needs = needs(values);
        let wanted = wanted(values, &needs, root);
        let mut column_of = vec![u32::MAX; values.len()];
        for place in (0..=root as usize).filter(|place| wanted[*place]) {
            let instruction = match values[place] {
                Value::Constant(value) => self.keep(value),
                _ if needs[place].count_ones() == 1 => self.tabulate(values, &needs, place, largest),
                Value::Apply(function, first, second) => {
                    Instruction::Apply(function, column_of[first as usize], column_of[second as usize])
                }
                // A lone variable depends on itself alone.
                Value::Variable(_) => Instruction::Keep,
            };
            column_of[place] = self.instructions.len() as u32;
            self.instructions.push(instruction);
        }
        self.columns.resize(self.columns.len().max(self.instructions.len()), [0.0; CHUNK]);
    }

    fn keep(&mut self, value: f64) -> Instruction {
        let column = self.instructions.len();
        self.columns.resize(self.columns.len().max(column + 1), [0.0; CHUNK]);
        self.columns[column].fill(value);
        Instruction::Keep
    }

    /// Looks up a subtree of one variable, whose values for 0 to `largest` are computed here.
    fn tabulate(&mut self, values: &[Value], needs: &[Needs], root: usize, largest: usize) -> Instruction {
        let variable = Variable::THESIS.into_iter().find(|variable| need(*variable) == needs[root]);
        let row = self.row(values, root, largest);
        Instruction::Look(variable.unwrap_or(Variable::Waited), row)
    }

    /// Where the table of a value begins, computed if it was not.
    fn row(&mut self, values: &[Value], place: usize, largest: usize) -> usize {
        if let Some(row) = self.rows[place] {
            return row;
        }
        let numbers = 0..=largest;
        let row = match values[place] {
            Value::Constant(value) => self.table(numbers.map(|_| value)),
            Value::Variable(_) => self.table(numbers.map(|number| number as f64)),
            Value::Apply(function, first, second) => {
                let first = self.row(values, first as usize, largest);
                let second = self.row(values, second as usize, largest);
                let start = self.tables.len();
                self.tables.resize(start + largest + 1, 0.0);
                let (operands, result) = self.tables.split_at_mut(start);
                apply(function, result, &operands[first..=first + largest], &operands[second..=second + largest]);
                start
            }
        };
        self.rows[place] = Some(row);
        row
    }

    fn table(&mut self, values: impl Iterator<Item = f64>) -> usize {
        let start = self.tables.len();
        self.tables.extend(values);
        start
    }

    /// The scores of states, in their order.
    pub(super) fn scores(&mut self, states: &[State], scores: &mut Vec<f64>) {
        scores.clear();
        for chunk in states.chunks(CHUNK) {
            self.run(chunk);
            let result = self.instructions.len() - 1;
            scores.extend(self.columns[result][..chunk.len()].iter().map(|score| score + 0.0));
        }
    }

    fn run(&mut self, states: &[State]) {
        let length = states.len();
        for (place, instruction) in self.instructions.iter().enumerate() {
            let (earlier, later) = self.columns.split_at_mut(place);
            match *instruction {
                Instruction::Keep => {}
                Instruction::Look(variable, start) => {
                    let table = &self.tables[start..];
                    for (cell, state) in later[0].iter_mut().zip(states) {
                        *cell = table[state.get(variable) as usize];
                    }
                }
                Instruction::Apply(function, first, second) => {
                    let (first, second) = (&earlier[first as usize], &earlier[second as usize]);
                    apply(function, &mut later[0][..length], &first[..length], &second[..length]);
                }
            }
        }
    }
}

/// One function over whole columns: the function is chosen once, so each loop is straight code.
fn apply(function: Function, result: &mut [f64], first: &[f64], second: &[f64]) {
    let cells = result.iter_mut().zip(first.iter().zip(second));
    match function {
        Function::Add => cells.for_each(|(cell, (a, b))| *cell = Function::Add.apply(*a, *b)),
        Function::Subtract => cells.for_each(|(cell, (a, b))| *cell = Function::Subtract.apply(*a, *b)),
        Function::Multiply => cells.for_each(|(cell, (a, b))| *cell = Function::Multiply.apply(*a, *b)),
        Function::Divide => cells.for_each(|(cell, (a, b))| *cell = Function::Divide.apply(*a, *b)),
        other => cells.for_each(|(cell, (a, b))| *cell = other.apply(*a, *b)),
    }
}

fn needs(values: &[Value]) -> Vec<Needs> {
    let mut needs: Vec<Needs> = Vec::with_capacity(values.len());
    for &value in values {
        needs.push(match value {
            Value::Constant(_) => 0,
            Value::Variable(variable) => need(variable),
            Value::Apply(_, first, second) => needs[first as usize] | needs[second as usize],
        });
    }
    needs
}

/// Which values need a column: the result, and the operands of whatever is no table.
fn wanted(values: &[Value], needs: &[Needs], root: u32) -> Vec<bool> {
    let mut wanted = vec![false; values.len()];
    wanted[root as usize] = true;
    for place in (0..=root as usize).rev() {
        if let (true, Value::Apply(_, first, second)) = (wanted[place] && needs[place].count_ones() > 1, values[place])
        {
            (wanted[first as usize], wanted[second as usize]) = (true, true);
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formula::testing::thesis_formula;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_program_computes_what_its_formula_says(
            formula in thesis_formula(),
            states in prop::collection::vec((1_u32..60, 0_u32..60, 1_u32..60), 1..200),
        ) {
            let mut program = Program::default();
            // A program keeps its memory from one formula to the next.
            for text in ["pow(n, t) + 3", "7"] {
                let (graph, root) = Graph::of(&text.parse().unwrap());
                program.compile(&graph, root, 60);
            }
            let (graph, root) = Graph::of(&formula);
            program.compile(&graph, root, 60);
            let states: Vec<State> =
                states.into_iter().map(|(visits, changes, waited)| State { visits, changes, waited }).collect();
            let mut scores = Vec::new();
            program.scores(&states, &mut scores);
            for (state, score) in states.iter().zip(&scores) {
                let expected = formula.evaluate(|variable| f64::from(state.get(variable)));
                prop_assert_eq!(expected.to_bits(), score.to_bits(), "{} at {:?}", formula, state);
            }
        }
    }
}
