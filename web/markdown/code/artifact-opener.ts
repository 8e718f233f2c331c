import { createContext } from "react";
import type { AnswerTexts } from "../artifacts/artifacts.ts";

/** Opens the artifacts of the answer that contains a code block. */
export type ArtifactOpener = {
  /** The answer as it is now. */
  answer(): AnswerTexts;
  open(key: string): void;
};

/** `undefined` where there is no panel, as on the page of a shared thread. */
export const ArtifactOpenerContext = createContext<ArtifactOpener | undefined>(undefined);
