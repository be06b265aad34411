//! Deterministic noise and hashing: the same numbers on every machine and in every run.

/// Smooth gradient noise of one to three coordinates, between -1 and 1, zero at whole numbers.
pub(crate) fn noise(coordinates: &[f64]) -> f64 {
    let mut cell = [0_i64; 3];
    let mut inside = [0.0; 3];
    for (axis, &value) in coordinates.iter().take(3).enumerate() {
        let floor = value.floor();
        // Saturates for huge values, where neighbouring cells are no longer told apart anyway.
        cell[axis] = floor as i64;
        inside[axis] = value - floor;
    }
    let fade = inside.map(|s| s * s * s * (s * (s * 6.0 - 15.0) + 10.0));
    let mut sum = 0.0;
    for corner in 0..8_u8 {
        let bits = [corner & 1, corner >> 1 & 1, corner >> 2 & 1];
        let mut weight = 1.0;
        let mut offset = [0.0; 3];
        let mut lattice = [0_u64; 3];
        for axis in 0..3 {
            let upper = bits[axis] == 1;
            weight *= if upper { fade[axis] } else { 1.0 - fade[axis] };
            offset[axis] = inside[axis] - f64::from(bits[axis]);
            lattice[axis] = cell[axis].wrapping_add(i64::from(bits[axis])).cast_unsigned();
        }
        if weight != 0.0 {
            sum += weight * gradient(hash(&lattice), offset);
        }
    }
    sum
}

/// The slope along one of the twelve edge directions of a cube (Perlin 2002), picked by the hash.
fn gradient(hash: u64, [x, y, z]: [f64; 3]) -> f64 {
    match hash % 12 {
        0 => x + y,
        1 => x - y,
        2 => -x + y,
        3 => -x - y,
        4 => x + z,
        5 => x - z,
        6 => -x + z,
        7 => -x - z,
        8 => y + z,
        9 => y - z,
        10 => -y + z,
        _ => -y - z,
    }
}

/// A number in [0, 1) that depends on every bit of the seeds and looks random.
pub(crate) fn random(seeds: &[f64]) -> f64 {
    // 0 and -0 are equal numbers and must give equal results.
    let mut words = [0_u64; crate::function::MAX_ARGUMENTS];
    for (word, seed) in words.iter_mut().zip(seeds) {
        *word = (seed + 0.0).to_bits();
    }
    let bits = hash(&words[..seeds.len()]) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// Mixes words with the finaliser of SplitMix64 (Steele 2014).
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |state, word| {
        let mut z = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
