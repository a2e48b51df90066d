//! The `everfresh` program: everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    everfresh::cli::main()
}
