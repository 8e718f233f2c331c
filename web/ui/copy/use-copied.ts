import { useEffect, useRef, useState } from "react";

const copiedVisibleMs = 3_000;

/** `copy(text)` writes to the clipboard; `isCopied` is true for 3 s after it succeeded. */
export function useCopied(): { isCopied: boolean; copy(text: string): void } {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isCopied,
    copy(text) {
      void writeClipboard(text).then((succeeded) => {
        if (!succeeded) return;
        clearTimeout(timer.current);
        setCopied(true);
        timer.current = setTimeout(() => setCopied(false), copiedVisibleMs);
      });
    },
  };
}

/** Whether it succeeded. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Plain HTTP has no clipboard API, and some browsers block it. `execCommand` still works there.
    return copyFromField(text);
  }
}

function copyFromField(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const succeeded = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return succeeded;
}
