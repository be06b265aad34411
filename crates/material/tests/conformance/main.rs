//! What every elastic law and every plastic flow must do, and the known values of each.

mod flows;
mod laws;
mod sand;
mod snow;
mod stress;
