import { useEffect, type ReactNode } from "react";
import { t } from "#web/i18n/translate.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { showToast } from "#web/ui/toast.tsx";
import { editedAnswer } from "./edited-answer.ts";

export const answerEdit = createLazyModule(
  () => import("./answer-edit.tsx"),
  (module) => module,
  "thread",
  "parts",
);

/** `AnswerEditForm` edits an answer; until it is loaded, `fallback` is shown. `EditedMark` says that it was edited. */
export function LazyAnswerEdit({
  part,
  id,
  fallback,
}: {
  part: "AnswerEditForm" | "EditedMark";
  id: string;
  fallback?: ReactNode;
}) {
  const loaded = answerEdit.use();
  useEffect(() => {
    void answerEdit.load().then((isLoaded) => {
      if (isLoaded || part === "EditedMark") return;
      showToast(t("missing.title"));
      editedAnswer.set(undefined);
    });
  }, [part]);
  if (loaded === undefined || loaded === "failed") return fallback;
  const Part = loaded[part];
  return <Part id={id} />;
}
