import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import X from "lucide-react/icons/x";
import { limits } from "#contract/limits.ts";
import type { OwnFeedback } from "#web/data/threads/branch-rows.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { reasonKeys, reasons } from "./reason-keys.ts";
import styles from "./feedback-form.module.css";

/** Asks why an answer is bad. `onDone` closes the form: with the new rating (`null` removes it), or without a change. */
export function FeedbackForm({
  given,
  onDone,
}: {
  given: OwnFeedback;
  onDone(feedback?: OwnFeedback | null): void;
}) {
  const name = useId();
  const [reason, setReason] = useState(given.reason);
  const [comment, setComment] = useState(given.comment ?? "");
  const form = useRef<HTMLFormElement>(null);
  const done = (feedback?: OwnFeedback | null) => {
    const thumb = thumbOf(form.current!);
    onDone(feedback);
    thumb?.focus({ preventScroll: true });
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing) return;
    // Esc must not stop an answer as well.
    event.preventDefault();
    event.stopPropagation();
    done();
  });
  useEffect(() => {
    const element = form.current!;
    const { activeElement } = document;
    // While the form loaded, the person may have begun to write something else.
    if (activeElement === document.body || activeElement === thumbOf(element)) {
      element.querySelector("input")?.focus({ preventScroll: true });
      element.scrollIntoView({ block: "nearest" });
    }
    element.addEventListener("keydown", onKey);
    return () => element.removeEventListener("keydown", onKey);
  }, []);
  return (
    <form
      ref={form}
      aria-label={t("feedback.label")}
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        done({ type: "negative", reason, comment: comment.trim() === "" ? null : comment.trim() });
      }}
    >
      <fieldset className={styles["reasons"]}>
        <legend className={styles["legend"]}>{t("feedback.label")}</legend>
        {reasons.map((value) => (
          <label key={value} className={styles["reason"]}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={reason === value}
              onChange={() => setReason(value)}
            />
            {t(reasonKeys[value])}
          </label>
        ))}
      </fieldset>
      <textarea
        rows={2}
        dir={comment === "" ? undefined : "auto"}
        value={comment}
        maxLength={limits.commentCharacters}
        aria-label={t("feedback.comment")}
        placeholder={t("feedback.comment")}
        className={styles["comment"]}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <div className="flex wrap gap-2">
        <Button type="submit" look="strong">
          {t("action.save")}
        </Button>
        <Button look="plain" onClick={() => done(null)}>
          {t("feedback.remove")}
        </Button>
      </div>
      <IconButton
        icon={X}
        size={16}
        label={t("action.close")}
        className={styles["close"]}
        onClick={() => done()}
      />
    </form>
  );
}

/** The button that opened the form. */
function thumbOf(form: Element): HTMLElement | null | undefined {
  return form.closest("[data-message-id]")?.querySelector<HTMLElement>("[data-thumb-down]");
}
