import { useEffect, useLayoutEffect, useRef } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { usePreference } from "#web/preferences/preferences.ts";
import { join } from "#web/ui/button.tsx";
import { useMedia } from "#web/lib/use-media-query.ts";
import { attach } from "./attach-button.tsx";
import { isSendKey } from "./send-key.ts";
import styles from "./input.module.css";

/** Fingers only: Enter on their keyboards makes a new line, and a field that takes the focus raises the keyboard. */
export const touchOnly = "(pointer: coarse) and (not (any-pointer: fine))";

const growsByItself = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

/**
 * The text field of the current composer: of the thread, or of a message being edited. It grows with its text. While a
 * person types, the browser owns the text and the composer's state follows it, so that neither an input method nor the
 * cursor is disturbed. Only text from elsewhere, such as a draft, is written into the field.
 */
export function ComposerInput({
  label,
  placeholder,
  describedBy,
  takesFocus,
  className,
  onSend,
  onType,
  onFocus,
  onEscape,
}: {
  label: string;
  placeholder?: string;
  describedBy?: string;
  takesFocus: boolean;
  className?: string | undefined;
  onSend(): void;
  onType?: () => void;
  onFocus?: () => void;
  onEscape?: () => void;
}) {
  const aui = useAui();
  const text = useAuiState((s) => s.composer.text);
  const [sendKey] = usePreference("sendKey");
  const isTouch = useMedia(touchOnly);
  const field = useRef<HTMLTextAreaElement>(null);

  useLayoutEffect(() => {
    const element = field.current;
    const now = aui.composer.getState().text;
    if (element === null) return;
    if (element.value !== now) {
      element.value = now;
      element.setSelectionRange(now.length, now.length);
    }
    grow(element);
  }, [aui, text]);

  useEffect(() => {
    const element = field.current;
    if (element === null || !takesFocus || isTouch) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [takesFocus, isTouch]);

  return (
    <textarea
      ref={field}
      rows={1}
      // While nothing is written it reads as the page does; a browser would take it for left-to-right.
      dir={text === "" ? undefined : "auto"}
      enterKeyHint={isTouch ? "enter" : "send"}
      placeholder={placeholder}
      aria-label={label}
      aria-describedby={describedBy}
      aria-keyshortcuts={sendKey === "enter" ? "Enter" : "Control+Enter"}
      className={join(styles["input"], className)}
      onFocus={onFocus}
      onInput={(event) => {
        aui.composer.setText(event.currentTarget.value);
        onType?.();
        grow(event.currentTarget);
      }}
      onPaste={(event) => {
        // Programs that copy words put a picture of them beside: words win.
        if (event.clipboardData.types.includes("text/plain")) return;
        if (attach(aui, event.clipboardData.files)) event.preventDefault();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && onEscape !== undefined && !event.nativeEvent.isComposing) {
          event.preventDefault();
          event.stopPropagation();
          onEscape();
        } else if (isSendKey(event.nativeEvent, sendKey, isTouch)) {
          event.preventDefault();
          onSend();
        }
      }}
    />
  );
}

function grow(element: HTMLTextAreaElement): void {
  if (growsByItself) return;
  element.style.blockSize = "auto";
  element.style.blockSize = `${element.scrollHeight}px`;
}
