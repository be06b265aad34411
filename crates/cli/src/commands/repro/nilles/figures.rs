//! Which scenes make which figure.

use super::measures::{
    apart, bunny_heights, heaps, heights, nothing, pieces, pieces_by_body, ratio, spread, volume_loss,
};
use super::{Figure, row};

const SPOUT: &str = "nilles2020/fig06_spout.toml";
const VOLUME: &str = "nilles2020/fig20_volume.toml";
const MIXER: &str = "nilles2020/fig30_mixer.toml";
const COLUMN: &str = "nilles2020/fig32_sand_column.toml";
const SAND_BUNNY: &str = "nilles2020/fig33_sand_bunny.toml";
const FUMOTO: &str = "fumoto/fig3_snow.toml";

/// All of them.
pub const FIGURES: [Figure; 22] = [
    Figure {
        name: "nilles-fig6",
        shows: "Nilles 2020, Fig. 6: sand from a spout, without and with the correction of its volume",
        claim: "without it, sand gains volume",
        rows: &[
            row("without", SPOUT, &["materials.sand.plastic.drucker_prager.volume_correction=false"]),
            row("with", SPOUT, &[]),
        ],
        compare: heaps,
    },
    Figure {
        name: "nilles-fig17",
        shows: "Nilles 2020, Fig. 17: a snowball filled in four ways",
        claim: "a grid gives false symmetry, random points noise, Poisson disks the most even fracture",
        rows: &[row("samplers", "nilles2020/fig17_samplers.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig18",
        shows: "Nilles 2020, Fig. 18: an elastic ball with one particle in each cell",
        claim: "numerical fracture, worst for the grid, none for Poisson disks",
        rows: &[row("samplers", "nilles2020/fig18_one_per_cell.toml", &[])],
        compare: pieces_by_body,
    },
    Figure {
        name: "nilles-fig19",
        shows: "Nilles 2020, Fig. 19: an elastic ball, 0.9 cells between particles, two splines",
        claim: "the cubic spline holds together what the quadratic one tears",
        rows: &[
            row("quadratic", "nilles2020/fig19_wider_spline.toml", &[]),
            row("cubic", "nilles2020/fig19_wider_spline.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: pieces,
    },
    Figure {
        name: "nilles-fig20",
        shows: "Nilles 2020, Fig. 20: volume that a fluid loses",
        claim: "38 % and 8 % with quadratic and cubic splines, 22 % and 9 % by the sand model",
        rows: &[
            row("fluid, quadratic", VOLUME, &[]),
            row("fluid, cubic", VOLUME, &["method.mpm.kernel=cubic"]),
            row("sand, quadratic", VOLUME, &["objects.fluid.material=sand"]),
            row("sand, cubic", VOLUME, &["objects.fluid.material=sand", "method.mpm.kernel=cubic"]),
        ],
        compare: volume_loss,
    },
    Figure {
        name: "nilles-fig21",
        shows: "Nilles 2020, Fig. 21: a snowball with two splines",
        claim: "the cubic spline sprays less",
        rows: &[
            row("quadratic", "nilles2020/fig21_snow_kernels.toml", &[]),
            row("cubic", "nilles2020/fig21_snow_kernels.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: spread,
    },
    Figure {
        name: "nilles-fig22",
        shows: "Nilles 2020, Fig. 22: what cubic splines cost",
        claim: "1.75 times in space, 1.87 with more particles, 1.43 in the plane",
        rows: &[
            row("space, quadratic", "nilles2020/fig22_space.toml", &[]),
            row("space, cubic", "nilles2020/fig22_space.toml", &["method.mpm.kernel=cubic"]),
            row("plane, quadratic", "nilles2020/fig22_plane.toml", &[]),
            row("plane, cubic", "nilles2020/fig22_plane.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(1.75)), ratio(rows, 3, 2, Some(1.43))],
    },
    Figure {
        name: "nilles-fig23",
        shows: "Nilles 2020, Fig. 23: snowballs on a sticky wall",
        claim: "uniform snow sprays and sticks, uneven snow breaks into chunks",
        rows: &[row("snowballs", "nilles2020/fig23_snowballs.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig24",
        shows: "Nilles 2020, Fig. 24: a fluid by four models",
        claim: "fluid, sand, snow and Neo-Hookean matter all run; the last breaks into chunks",
        rows: &[row("models", "nilles2020/fig24_fluids.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig25",
        shows: "Nilles 2020, Fig. 25: what the models of sand and snow can be",
        claim: "from dry sand to elastic, from snow to elastic",
        rows: &[row("spheres", "nilles2020/fig25_spheres.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig27",
        shows: "Nilles 2020, Fig. 27: light bodies in moving water",
        claim: "they are swept away and stay afloat",
        rows: &[row("bodies", "nilles2020/fig27_floating.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig28",
        shows: "Nilles 2020, Fig. 26 and 28: sand, water and circles by one model and by separate ones",
        claim: "separate models take 70 % of the time",
        rows: &[
            row("one model", "nilles2020/fig26_one_model.toml", &["method.mpm.substep=0.2ms"]),
            row("separate models", "nilles2020/fig28_separate_models.toml", &["method.mpm.substep=0.2ms"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(0.7))],
    },
    Figure {
        name: "nilles-fig29",
        shows: "Nilles 2020, Fig. 29: squares of three densities in water",
        claim: "the light one floats, the equal one just below the surface, the heavy one sinks",
        rows: &[row("squares", "nilles2020/fig29_cubes.toml", &[])],
        compare: heights,
    },
    Figure {
        name: "nilles-fig30",
        shows: "Nilles 2020, Fig. 30: mixtures of sand, snow and water, stirred, pressed and released",
        claim: "mixtures behave unlike either part",
        rows: &[
            row("sand and snow", MIXER, &[]),
            row("sand and water", MIXER, &["objects.upper.material=water"]),
            row("snow and water", MIXER, &["objects.lower.material=water"]),
            row("snow", MIXER, &["objects.lower.material=snow"]),
            row("water", MIXER, &["objects.lower.material=water", "objects.upper.material=water"]),
            row("sand", MIXER, &["objects.upper.material=sand"]),
        ],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig31",
        shows: "Nilles 2020, Fig. 31: sand and snow in one scene",
        claim: "both keep their properties where they meet",
        rows: &[
            row("armadillo", "nilles2020/fig31_armadillo.toml", &[]),
            row("snowball", "nilles2020/fig31_snowball.toml", &[]),
        ],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig32",
        shows: "Nilles 2020, Fig. 32: a column of sand in water, without and with buoyancy",
        claim: "similar, at the cost of 30 % more time",
        rows: &[
            row("without", COLUMN, &["method.mpm.substep=0.2ms"]),
            row("with buoyancy", COLUMN, &["method.mpm.substep=0.2ms", "method.mpm.buoyancy=water"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(1.3))],
    },
    Figure {
        name: "nilles-fig33",
        shows: "Nilles 2020, Fig. 33: a sand bunny in water, low and high drag, two interactions",
        claim: "low drag soaks and collapses faster; less friction lets high drag collapse as well",
        rows: &[
            row("low drag", SAND_BUNNY, &["method.mpm.interactions.1.value=radians(35)"]),
            row(
                "high drag",
                SAND_BUNNY,
                &["method.mpm.interactions.1.value=radians(35)", "method.mpm.drag.literal=1000"],
            ),
            row("low drag, friction falls", SAND_BUNNY, &[]),
            row("high drag, friction falls", SAND_BUNNY, &["method.mpm.drag.literal=1000"]),
        ],
        compare: bunny_heights,
    },
    Figure {
        name: "nilles-fig34",
        shows: "Nilles 2020, Fig. 34: a snow bunny in water, without and with an interaction",
        claim: "soaked snow without shear stiffness runs like a liquid",
        rows: &[
            row("none", "nilles2020/fig34_snow_bunny.toml", &["method.mpm.interactions=[]"]),
            row("stiffness falls", "nilles2020/fig34_snow_bunny.toml", &[]),
        ],
        compare: bunny_heights,
    },
    Figure {
        name: "nilles-fig35",
        shows: "Nilles 2020, Fig. 35: two grids with drag at its limit, and one grid",
        claim: "exactly the same",
        rows: &[
            row("one grid", "nilles2020/fig29_cubes.toml", &["method.mpm.precision=double"]),
            row("two grids", "nilles2020/fig35_limit.toml", &[]),
        ],
        compare: apart,
    },
    Figure {
        name: "nilles-fig36",
        shows: "Nilles 2020, Fig. 36: snow and sand, one species, in water",
        claim: "snow floats until it has soaked",
        rows: &[row("mixture", "nilles2020/fig36_snow_and_sand_in_water.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig37",
        shows: "Nilles 2020, Fig. 37: Fig. 32 with particle collisions",
        claim: "particles crowd at obstacles; results change",
        rows: &[
            row("without", COLUMN, &["method.mpm.particle_collision=true"]),
            row(
                "with buoyancy",
                COLUMN,
                &["method.mpm.particle_collision=true", "method.mpm.buoyancy=water"],
            ),
        ],
        compare: nothing,
    },
    Figure {
        name: "fumoto-fig3",
        shows: "Fumoto, Fig. 3: snow with one parameter changed at a time",
        claim: "a low critical stretch changes most",
        rows: &[
            row("base", FUMOTO, &[]),
            row("low critical stretch", FUMOTO, &["materials.snow.plastic.snow={critical_stretch=0.001}"]),
            row(
                "low critical compression",
                FUMOTO,
                &["materials.snow.plastic.snow={critical_compression=0.01}"],
            ),
            row("little hardening", FUMOTO, &["materials.snow.plastic.snow={hardening=5}"]),
            row("low stiffness", FUMOTO, &["materials.snow.young=48kPa"]),
            row("PIC", FUMOTO, &["method.mpm.transfer=pic"]),
        ],
        compare: spread,
    },
];
