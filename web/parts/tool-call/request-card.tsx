import { type ReactNode, useEffect, useId, useRef } from "react";
import type { LucideIcon } from "lucide-react";
import type { OutgoingToolAnswer } from "#web/data/outbox/tool-answers.ts";
import { translateFailure } from "#web/data/failure.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./tool-requests.module.css";

/** Whether the person can still answer: there is no answer yet, or it failed. */
export function isOpen(given: OutgoingToolAnswer | undefined): boolean {
  return given === undefined || given.state === "failed";
}

/** The card of a waiting tool call: the question, and the state of the answer. */
export function RequestCard({
  icon,
  title,
  given,
  children,
}: {
  icon: LucideIcon;
  title: string;
  given: OutgoingToolAnswer | undefined;
  children: ReactNode;
}) {
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const state = given?.state;
  // The pressed button is gone, so the card takes the focus.
  useEffect(() => {
    if (state === "sending" && isFocusLost()) card.current?.focus({ preventScroll: true });
  }, [state]);
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-asks={state ?? "open"}
      className={styles["card"]}
    >
      <p id={titleId} dir="auto" className={styles["title"]}>
        <span className={styles["sign"]}>
          <Icon of={icon} size={17} />
        </span>
        {title}
      </p>
      {children}
      <p role="status" data-danger={state === "failed" || undefined} className={styles["note"]}>
        {given !== undefined && noteOf(given)}
      </p>
    </section>
  );
}

function noteOf({ state, said, failure }: OutgoingToolAnswer): string {
  if (state === "failed")
    return failure === undefined ? t("failure.unexpected") : translateFailure(failure).message;
  if (state === "kept") return waitingNote(failure?.code);
  if ("approved" in said && said.remember !== undefined)
    return t(said.remember === "chat" ? "ask.allowedInChat" : "ask.allowedAlways");
  if ("approved" in said) return t(said.approved ? "ask.allowed" : "ask.denied");
  return t("ask.answered");
}

/** Why an answer has not been sent yet. It is sent automatically. */
function waitingNote(code: string | undefined): string {
  if (code === undefined || code === "network") return t("ask.kept");
  return t(code === "too-many-runs" ? "failure.tooManyRuns" : "ask.keptRefused");
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
