import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import X from "lucide-react/icons/x";
import { failureOf } from "#web/data/failure.ts";
import { t } from "#web/i18n/translate.ts";
import { Button, IconButton } from "./button.tsx";
import { createStore } from "../lib/store.ts";
import styles from "./toast.module.css";

type Toast = {
  id: number;
  text: string;
  /** One button, such as Undo. */
  action?: { label: string; run(): void } | undefined;
  /** Called when the toast closes without its action. */
  onClose?: (() => void) | undefined;
  tone: "quiet" | "danger";
  about?: object | undefined;
};

/** 8 s: long enough to read a line and press its button. The timer pauses under the pointer and the focus. */
const visibleMs = 8_000;

const visible = createStore<Toast[]>([]);
let lastId = 0;

/** Shows a short message at the top of the page for 8 s. It replaces an earlier one about the same object. */
export function showToast(
  text: string,
  {
    action,
    onClose,
    tone = "quiet",
    about,
  }: Partial<Pick<Toast, "action" | "onClose" | "tone" | "about">> = {},
): void {
  const others = visible.get().filter((toast) => about === undefined || toast.about !== about);
  visible.set(limited([...others, { id: ++lastId, text, action, onClose, tone, about }]));
}

/** Shows why an action failed. */
export function showFailure(error: unknown): void {
  showToast(failureOf(error).message, { tone: "danger" });
}

/** Shows `text` when the action has succeeded, with a button for `undo`, or else why it failed. */
export function showOutcome(action: Promise<unknown>, text: string, undo?: () => Promise<unknown>): void {
  const undoButton = undo && { label: t("action.undo"), run: () => void undo().catch(showFailure) };
  void action.then(() => showToast(text, { action: undoButton }), showFailure);
}

/** At most three toasts; the oldest ones without an action are removed first, and those with an action stay. */
function limited(toasts: Toast[]): Toast[] {
  const oldest =
    toasts.length > 3 ? toasts.slice(0, -1).find(({ action }) => action === undefined) : undefined;
  return oldest === undefined ? toasts : limited(toasts.filter((toast) => toast !== oldest));
}

export function ToastHost() {
  const toasts = visible.use();
  return (
    <section aria-label={t("toast.label")} className={styles["host"]}>
      <div role="status" aria-live="polite" className={styles["list"]}>
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </div>
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const [isPaused, setPaused] = useState(false);
  const remainingMs = useRef(visibleMs);
  useEffect(() => {
    if (isPaused) return undefined;
    const startedAt = performance.now();
    const timer = setTimeout(() => {
      close(toast);
      toast.onClose?.();
    }, remainingMs.current);
    return () => {
      clearTimeout(timer);
      remainingMs.current -= performance.now() - startedAt;
    };
  }, [isPaused, toast]);

  const { action } = toast;
  const box = useRef<HTMLDivElement>(null);
  const focusedBefore = useRef<EventTarget>(null);
  /** Returns the focus to where it was if the toast had it. */
  const dismiss = () => {
    const hadFocus = box.current?.contains(document.activeElement) === true;
    flushSync(() => close(toast));
    if (!hadFocus) return;
    const { current } = focusedBefore;
    const isStillThere = current instanceof HTMLElement && current.isConnected;
    (isStillThere ? current : document.getElementById("main"))?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={box}
      data-tone={toast.tone}
      className={styles["toast"]}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget;
        setPaused(true);
      }}
      onBlur={() => setPaused(false)}
    >
      <span className={styles["text"]}>{toast.text}</span>
      {action !== undefined && (
        <Button
          look="plain"
          onClick={() => {
            dismiss();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        icon={X}
        size={16}
        label={t("action.close")}
        onClick={() => {
          dismiss();
          toast.onClose?.();
        }}
      />
    </div>
  );
}

function close(toast: Toast): void {
  visible.set(visible.get().filter((other) => other !== toast));
}
