import { type ComponentType, createContext } from "react";
import type { AnswerTexts } from "#contract/artifacts/artifacts.ts";

/** `onChange` hears when a diagram is drawn, is taken away because it is far from the window, or cannot be drawn. */
export type DiagramProps = { code: string; onChange(state: "drawn" | "away" | "failed" | "stopped"): void };

/** Opens the artifacts of the answer that contains a code block. */
export type ArtifactOpener = {
  /** The answer as it is now. */
  answer(): AnswerTexts;
  /** `undefined` if the panel does not know the answer. */
  open: ((version: { key: string; id: string }) => void) | undefined;
  /** Draws a diagram over the element that contains it. */
  Diagram: ComponentType<DiagramProps>;
};

/** `undefined` where there is no panel, as on the page of a shared thread. */
export const ArtifactOpenerContext = createContext<ArtifactOpener | undefined>(undefined);
