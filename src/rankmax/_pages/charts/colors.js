// Colors that people with any color vision tell apart: viridis for values (it also grows lighter), the palette of
// Okabe and Ito for lines, which have dashes of their own as well.

// biome-ignore format: a table
const VIRIDIS = ["440154", "48186a", "472d7b", "424086", "3b528b", "33638d", "2c728e", "26828e", "21918c", "1fa088",
  "28ae80", "3fbc73", "5ec962", "84d44b", "addc30", "d8e219", "fde725"];

const SHADES = Array.from({ length: 256 }, (_, shade) => {
  const at = (shade / 255) * (VIRIDIS.length - 1);
  const i = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const mixed = [0, 1, 2].map(c => channel(VIRIDIS[i], c) * (1 - at + i) + channel(VIRIDIS[i + 1], c) * (at - i));
  return `rgb(${mixed.map(Math.round)})`;
});

/**
 * @param {string} color
 * @param {number} c 0, 1 or 2: red, green or blue
 */
function channel(color, c) {
  return Number.parseInt(color.slice(2 * c, 2 * c + 2), 16);
}

/** @param {number} share from 0, dark, to 1, light */
export const viridis = share => SHADES[Math.round(255 * Math.max(0, Math.min(1, share)))];

/** @type {[number, string][]} */
export const VIRIDIS_STOPS = VIRIDIS.map((color, i) => [i / (VIRIDIS.length - 1), `#${color}`]);

export const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
export const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"];
