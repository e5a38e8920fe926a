/**
 * Sizes in a few characters: `512 B`, `12.3 KiB`, `4.0 MiB`.
 */
const units = ["KiB", "MiB", "GiB", "TiB"]

export const size = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  let scaled = bytes / 1024
  let unit = 0
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024
    unit += 1
  }
  return `${scaled.toFixed(1)} ${units[unit] ?? ""}`
}
