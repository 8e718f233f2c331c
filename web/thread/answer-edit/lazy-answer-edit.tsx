import { useEffect } from "react";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const answerEdit = createLazyModule(
  () => import("./answer-edit.tsx"),
  (module) => module,
  loadScreenStrings,
);

/** `Form` edits an answer. `Mark` says that it was edited. */
export function LazyAnswerEdit({ part, id }: { part: "Form" | "Mark"; id: string }) {
  const loaded = answerEdit.use();
  useEffect(() => void answerEdit.load(), []);
  if (loaded === undefined || loaded === "failed") return null;
  const Part = loaded[part];
  return <Part id={id} />;
}
