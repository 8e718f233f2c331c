import {
  attention,
  autolink,
  characterEscape,
  characterReference,
  codeText,
  hardBreakEscape,
  htmlText,
  labelEnd,
  labelStartImage,
  labelStartLink,
} from "micromark-core-commonmark";
import { markdownLineEndingOrSpace, unicodePunctuation } from "micromark-util-character";
import type { Construct, Extension, State, TokenizeContext, Tokenizer } from "micromark-util-types";

/**
 * The work for the marks of one paragraph, heading or cell: the characters read for each mark, and `markWork`, because
 * the parser compares marks with each other. A long paragraph of an answer takes a quarter of it.
 */
const workMax = 8_000;
const markWork = 10;

/** A bare address has at most this many characters and punctuation marks. The parser looks for its end at each mark. */
const addressMax = 2_000;
const punctuationMax = 200;

const originals = {
  text: {
    33: labelStartImage,
    38: characterReference,
    42: attention,
    60: [autolink, htmlText],
    91: labelStartLink,
    92: [hardBreakEscape, characterEscape],
    93: labelEnd,
    95: attention,
    96: codeText,
  },
} satisfies Extension;

const addressNames = ["wwwAutolink", "protocolAutolink", "emailAutolink"];

/** What every bare address contains. */
const addressMark = /@|www\.|:\/\//i;

const work = new WeakMap<TokenizeContext, number>();

/** Whether `text` can contain a bare address. */
export function mayHaveAddress(text: string): boolean {
  return addressMark.test(text);
}

/** `extension` without bare addresses: the parser looks for one at the start of every word, which takes half its time. */
export function withoutAddresses(extension: Extension): Extension {
  const text = Object.entries(extension.text ?? {})
    .map(
      ([code, some]) =>
        [code, ([some].flat() as Construct[]).filter((construct) => !isAddress(construct))] as const,
    )
    .filter(([, some]) => some.length > 0);
  return { ...extension, text: Object.fromEntries(text) };
}

/** The marks in paragraphs of CommonMark and of `extensions`. After `workMax`, the rest of a paragraph is text. */
export function limitMarks(extensions: readonly Extension[]): Extension[] {
  const all = [originals, ...extensions].map((each) => ({
    ...each,
    text: Object.fromEntries(
      Object.entries(each.text ?? {}).map(([code, some]) => [
        code,
        ([some].flat() as Construct[]).map(limited),
      ]),
    ),
  }));
  // The last extension is tried first.
  return [...all, { text: Object.fromEntries(Object.keys(originals.text).map((code) => [code, plain])) }];
}

function isTooMuch(context: TokenizeContext): boolean {
  return (work.get(context) ?? 0) > workMax;
}

/** Takes the character as text after `workMax`. */
const plain: Construct = {
  previous() {
    return isTooMuch(this);
  },
  tokenize(effects, ok, nok) {
    if (!isTooMuch(this)) return nok;
    return (code) => {
      effects.enter("data");
      effects.consume(code);
      effects.exit("data");
      return ok;
    };
  },
};

function isAddress({ name = "" }: Construct): boolean {
  return addressNames.includes(name);
}

function limited(construct: Construct): Construct {
  const isLimitedAddress = isAddress(construct);
  const tokenize: Tokenizer = function (effects, ok, nok) {
    if (isTooMuch(this)) return nok;
    const done = work.get(this) ?? 0;
    const start = this.now().offset;
    const count = () =>
      void work.set(this, done + this.now().offset - start + (isLimitedAddress ? 0 : markWork));
    const counted =
      (state: State): State =>
      (code) => {
        count();
        return state(code);
      };
    const inner = construct.tokenize.call(this, effects, counted(ok), counted(nok));
    return isLimitedAddress ? effects.check(shortAddress(count), inner, nok) : inner;
  };
  return { ...construct, name: `limited ${construct.name ?? ""}`, tokenize };
}

/** Reads a word and fails if it is too long for an address. */
function shortAddress(count: () => void): Construct {
  const tokenize: Tokenizer = (effects, ok, nok) => {
    let length = 0;
    let punctuation = 0;
    const next: State = (code) => {
      const isEnd = code === null || markdownLineEndingOrSpace(code);
      if (isEnd || length === addressMax || punctuation === punctuationMax) {
        effects.exit("data");
        count();
        return isEnd ? ok(code) : nok(code);
      }
      length += 1;
      if (unicodePunctuation(code)) punctuation += 1;
      effects.consume(code);
      return next;
    };
    return (code) => {
      effects.enter("data");
      return next(code);
    };
  };
  return { partial: true, tokenize };
}
