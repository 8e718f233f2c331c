import type { Literal } from "mdast";
import type { CompileContext, Extension, Handle, Token } from "mdast-util-from-markdown";

/** Math within a line. `value`: TeX. */
export interface InlineMath extends Literal {
  type: "inlineMath";
  isDisplay: boolean;
}

/** A math block. `value`: TeX, or the raw source if nothing closes it (`isOpen`). */
export interface Math extends Literal {
  type: "math";
  isOpen: boolean;
}

declare module "mdast" {
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
  interface BlockContentMap {
    math: Math;
  }
  interface RootContentMap {
    inlineMath: InlineMath;
    math: Math;
  }
}

declare module "mdast-util-from-markdown" {
  interface CompileData {
    /** The marks of the math that is being parsed. */
    math?: { opening: Token; closing?: Token } | undefined;
  }
}

const opening: Handle = function (token) {
  this.data.math = { opening: token };
};

const closing: Handle = function (token) {
  this.data.math!.closing = token;
};

/** Entered before its content, so that line endings inside do not belong to the paragraph. */
const enterInline: Handle = function (token) {
  this.enter({ type: "inlineMath", isDisplay: false, value: "" }, token);
};

const inline: Handle = function (token) {
  const mark = this.sliceSerialize(this.data.math!.opening);
  const tex = texOf(this) ?? "";
  // Bars separate table cells and are escaped inside them.
  const isInCell = this.stack.some(({ type }) => type === "tableCell");
  Object.assign(this.stack.at(-1)!, {
    isDisplay: mark === "$$" || mark === "\\[",
    value: isInCell ? tex.replaceAll("\\|", "|") : tex,
  });
  this.data.math = undefined;
  this.exit(token);
};

const block: Handle = function (token) {
  const tex = texOf(this);
  const value = tex ?? this.sliceSerialize(token);
  this.data.math = undefined;
  this.enter({ type: "math", isOpen: tex === undefined, value }, token);
  this.exit(token);
};

/** The text between the marks; `undefined` if there is no closing mark. */
function texOf({ data, sliceSerialize }: CompileContext): string | undefined {
  const { opening: from, closing: to } = data.math!;
  return to === undefined ? undefined : sliceSerialize({ start: from.end, end: to.start }).trim();
}

/** Creates the nodes for the tokens of `mathSyntax`. */
export const mathTree: Extension = {
  enter: { mathInline: enterInline },
  exit: { mathOpening: opening, mathClosing: closing, mathInline: inline, mathBlock: block },
};
