import { createContext } from "react";

/** A source of an answer, as far as its marks show it. */
export type MarkedSource = { url?: string | undefined; title: string };

/** The sources of an answer by their numbers, which begin at 1, and what a press on a mark does. */
export type SourceMarks = { sources: readonly MarkedSource[]; open(number: number): void };

/** `undefined` where the text has no marks, as on the page of a shared thread. */
export const SourceMarksContext = createContext<SourceMarks | undefined>(undefined);
