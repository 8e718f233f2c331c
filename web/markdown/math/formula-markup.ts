import { createContext } from "react";

/** A formula as MathML in text; `undefined` shows its TeX. */
export type FormulaMarkup = (tex: string, isDisplay: boolean) => string | undefined;

/** How formulas are rendered where there is no document: on the server. */
export const FormulaMarkupContext = createContext<FormulaMarkup | undefined>(undefined);
