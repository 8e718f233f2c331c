import type { Json } from "#contract/json.ts";
import { isFalse, textOf } from "./ask.ts";

/** A result for reading: figures in groups, long fractions rounded, its unit behind it. */
export type Figure = {
  text: string;
  /** What it was before it was rounded for reading; `undefined` where it is exact. */
  before: string | undefined;
};

/** More figures behind the point than this are for machines. */
const decimalsShown = 6;

export function figureOf(result: Json | undefined): Figure {
  const text = textOf(result, "result");
  const [, number, rest] = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(.*)$/.exec(text) ?? [];
  if (number === undefined)
    return { text: text === "" ? JSON.stringify(result ?? null) : text, before: undefined };
  const short = shortened(number);
  const rounded = short !== number || isFalse(result, "exact");
  return { text: `${grouped(short)}${rest ?? ""}`, before: rounded ? text : undefined };
}

/** With the sign of a currency and cents, as prices are written. */
export function moneyOf(result: Json | undefined, currency: string): string {
  const number = Number(textOf(result, "result"));
  if (currency === "" || !Number.isFinite(number)) return figureOf(result).text;
  const text = grouped(Math.abs(number).toFixed(2));
  const sign = number < 0 ? "−" : "";
  return currency === "€" ? `${sign}${text} €` : `${sign}${currency}${text}`;
}

/** The currency that a question names its prices in. */
export function currencyOf(question: string): string {
  return /[$€£¥₹]/.exec(question)?.[0] ?? "";
}

function shortened(number: string): string {
  const [whole = "", fraction = ""] = number.split(".");
  if (number.includes("e") || fraction.length <= decimalsShown) return number;
  // A small number keeps six figures, whatever noughts stand before them.
  const noughts = /^-?0$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const value = Number(number);
  const places = Math.min(noughts + decimalsShown, 20);
  // A long whole part would lose its last figures in a floating number.
  if (Math.abs(value) > 1e9) return `${whole}.${fraction.slice(0, decimalsShown)}`;
  return value.toFixed(places).replace(/\.?0+$/, "");
}

function grouped(number: string): string {
  if (number.includes("e")) return number.replace(/e\+?(-?\d+)$/, " × 10^$1");
  const [whole = "", fraction] = number.split(".");
  const digits = whole.replace("-", "");
  // Four figures read well as they are.
  const groups = digits.length < 5 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${whole.startsWith("-") ? "−" : ""}${groups}${fraction === undefined ? "" : `.${fraction}`}`;
}
