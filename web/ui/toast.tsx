import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import X from "lucide-react/icons/x";
import { Button, IconButton } from "./button.tsx";
import { createStore } from "../lib/store.ts";
import styles from "./toast.module.css";

type Toast = {
  id: number;
  text: string;
  /** The one thing that can be done about it. */
  action?: { label: string; run(): void } | undefined;
  tone: "quiet" | "loss";
};

/** 8 s: long enough to read a line and reach for its button; the clock rests under pointer and focus. */
const lifeMs = 8_000;

const shown = createStore<Toast[]>([]);
let lastId = 0;

/** Says something that needs no answer, at the head of the page, where nobody writes. */
export function showToast(
  text: string,
  options: { action?: Toast["action"]; tone?: Toast["tone"] } = {},
): void {
  const toast: Toast = { id: ++lastId, text, action: options.action, tone: options.tone ?? "quiet" };
  shown.set(withRoom([...shown.get(), toast]));
}

/** Three at once, and whatever still offers a way back: that was promised, and stays as long as it was. */
function withRoom(toasts: Toast[]): Toast[] {
  const oldest =
    toasts.length > 3 ? toasts.slice(0, -1).find(({ action }) => action === undefined) : undefined;
  return oldest === undefined ? toasts : withRoom(toasts.filter((toast) => toast !== oldest));
}

export function ToastHost({ label, closeLabel }: { label: string; closeLabel: string }) {
  const toasts = shown.use();
  return (
    <section aria-label={label} className={styles["host"]}>
      <div role="status" aria-live="polite" className={styles["list"]}>
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} closeLabel={closeLabel} />
        ))}
      </div>
    </section>
  );
}

function ToastCard({ toast, closeLabel }: { toast: Toast; closeLabel: string }) {
  const [isHeld, setHeld] = useState(false);
  const leftMs = useRef(lifeMs);
  useEffect(() => {
    if (isHeld) return undefined;
    const startedAt = performance.now();
    const timer = setTimeout(() => close(toast), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= performance.now() - startedAt;
    };
  }, [isHeld, toast]);

  const { action } = toast;
  const box = useRef<HTMLDivElement>(null);
  const before = useRef<EventTarget>(null);
  /** Closed by one of its buttons, it gives the focus back to where it came from. */
  const leave = () => {
    const hadFocus = box.current?.contains(document.activeElement) === true;
    flushSync(() => close(toast));
    if (!hadFocus) return;
    const { current } = before;
    const isThere = current instanceof HTMLElement && current.isConnected;
    (isThere ? current : document.getElementById("main"))?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={box}
      data-tone={toast.tone}
      className={styles["toast"]}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
        setHeld(true);
      }}
      onBlur={() => setHeld(false)}
    >
      <span className={styles["text"]}>{toast.text}</span>
      {action !== undefined && (
        <Button
          look="plain"
          onClick={() => {
            leave();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} size={16} label={closeLabel} onClick={leave} />
    </div>
  );
}

function close(toast: Toast): void {
  shown.set(shown.get().filter((one) => one !== toast));
}
