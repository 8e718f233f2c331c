import { readFileSync } from "node:fs";
import { join } from "node:path";
import { avatarColours } from "#contract/avatars.ts";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");
const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

const grounds = ["paper", "paper-recessed", "paper-tinted", "paper-lifted", "paper-code"];

/** Colours of text (contrast 4.5:1) and of controls (3:1), with the backgrounds on which they occur. */
const text: [string, string[]][] = [
  ["ink", grounds],
  ["ink-soft", grounds],
  ["ink-faint", grounds],
  ["accent", [...grounds, "accent-soft"]],
  ["accent-strong", [...grounds, "accent-soft"]],
  ["ink", ["accent-soft", "danger-soft", "marked"]],
  ["ink-soft", ["accent-soft"]],
  ["on-accent", ["accent", "accent-strong"]],
  ["danger", ["paper", "paper-lifted", "paper-recessed", "paper-tinted", "danger-soft"]],
  ["waiting", ["paper", "paper-lifted", "paper-recessed", "paper-tinted"]],
  ["code-keyword", ["paper-code"]],
  ["code-string", ["paper-code"]],
  ["code-literal", ["paper-code"]],
  ["code-name", ["paper-code"]],
  ["code-comment", ["paper-code"]],
  ["paper", ["ink", "ink-soft"]],
  ...avatarColours.map((colour): [string, string[]] => [`on-avatar-${colour}`, [`avatar-${colour}`]]),
];
const controls: [string, string[]][] = [
  ["edge", ["paper", "paper-lifted", "paper-recessed", "paper-tinted"]],
  ["accent", grounds],
  ["waiting", grounds],
  ["danger", grounds],
];

describe.each(themes)("in the %s theme", (theme) => {
  it.each(text)("%s is legible", (ink, on) => {
    for (const ground of on)
      expect(contrast(ink, ground, theme), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  });

  it.each(controls)("%s is seen", (line, on) => {
    for (const ground of on)
      expect(contrast(line, ground, theme), `${line} on ${ground}`).toBeGreaterThanOrEqual(3);
  });

  it("has every colour inside what a screen can show", () => {
    for (const [, name] of css.matchAll(/--([\w-]+): light-dark/g)) {
      for (const channel of linearRgb(name ?? "", theme)) {
        expect(channel, name).toBeGreaterThan(-0.001);
        expect(channel, name).toBeLessThan(1.001);
      }
    }
  });
});

function contrast(one: string, other: string, theme: Theme): number {
  const [light = 0, dark = 0] = [luminance(one, theme), luminance(other, theme)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance, as WCAG 2.2 defines it. */
function luminance(name: string, theme: Theme): number {
  const [r, g, b] = linearRgb(name, theme);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function linearRgb(name: string, theme: Theme): [number, number, number] {
  const [lightness, chroma, hue] = oklch(name, theme);
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function oklch(name: string, theme: Theme): [number, number, number] {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? "";
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (other !== undefined) return oklch(other, theme);
  const pair = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)/g)];
  const [, l, c, h] = (theme === "light" ? pair[0] : pair[1]) ?? [];
  if (l === undefined || c === undefined || h === undefined)
    throw new Error(`--${name} is no pair of colours`);
  return [Number(l), Number(c), Number(h)];
}
