import { useEffect, useRef, useState } from "react";

/** 3000 ms: how long a copy button says that it did. */
const saysCopiedMs = 3_000;

/** `copy(text)` puts text on the clipboard; `isCopied` is true for 3000 ms after it worked. */
export function useCopied(): { isCopied: boolean; copy(text: string): void } {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isCopied,
    copy(text) {
      void writeClipboard(text).then((worked) => {
        if (!worked) return;
        clearTimeout(timer.current);
        setCopied(true);
        timer.current = setTimeout(() => setCopied(false), saysCopiedMs);
      });
    },
  };
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Plain HTTP in a local network has no clipboard API, and some browsers refuse it: the older way still works.
    return copyFromField(text);
  }
}

function copyFromField(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const worked = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return worked;
}
