import type { Literal } from "mdast";
import type { CompileContext, Extension, Handle, Token } from "mdast-util-from-markdown";

/** Mathematics within a line. `value`: TeX. */
export interface InlineMath extends Literal {
  type: "inlineMath";
  isDisplay: boolean;
}

/** Mathematics that is a block. `value`: TeX, or all as it was written while nothing closes it (`isOpen`). */
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
    /** The marks of the mathematics that is being read. */
    math?: { opening: Token; closing?: Token } | undefined;
  }
}

const opening: Handle = function (token) {
  this.data.math = { opening: token };
};

const closing: Handle = function (token) {
  this.data.math!.closing = token;
};

/** Begun before what is in it, so that its line ends are not its paragraph's. */
const inlineBegins: Handle = function (token) {
  this.enter({ type: "inlineMath", isDisplay: false, value: "" }, token);
};

const inline: Handle = function (token) {
  const mark = this.sliceSerialize(this.data.math!.opening);
  const tex = texOf(this) ?? "";
  // A table's cells are parted by bars, and escape those within.
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

/** What stands between the marks; `undefined` while there is only the first. */
function texOf({ data, sliceSerialize }: CompileContext): string | undefined {
  const { opening: from, closing: to } = data.math!;
  return to === undefined ? undefined : sliceSerialize({ start: from.end, end: to.start }).trim();
}

/** Nodes for what `mathSyntax` finds. */
export const mathTree: Extension = {
  enter: { mathInline: inlineBegins },
  exit: { mathOpening: opening, mathClosing: closing, mathInline: inline, mathBlock: block },
};
