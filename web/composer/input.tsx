import { useEffect, useLayoutEffect, useRef } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { usePreference } from "#web/preferences/preferences.ts";
import { join } from "#web/ui/button.tsx";
import { touchOnly, useMediaQuery } from "#web/lib/use-media-query.ts";
import { useAttach } from "./attach-button.tsx";
import { isSendKey } from "./send-key.ts";
import styles from "./input.module.css";

const supportsFieldSizing = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

/**
 * The text field of the current composer: of the thread, or of a message being edited. It grows with its text. It is
 * uncontrolled, and the composer's state follows it, so that input methods and the cursor are not disturbed. Only text
 * from elsewhere, such as a draft, is written into the field.
 */
export function ComposerInput({
  label,
  placeholder,
  describedBy,
  autoFocus,
  className,
  onSend,
  onType,
  onEscape,
}: {
  label: string;
  placeholder?: string;
  describedBy?: string;
  autoFocus: boolean;
  className?: string | undefined;
  onSend(): void;
  onType?: () => void;
  onEscape?: () => void;
}) {
  const aui = useAui();
  const attach = useAttach();
  const text = useAuiState((s) => s.composer.text);
  const [sendKey] = usePreference("sendKey");
  const isTouch = useMediaQuery(touchOnly);
  const field = useRef<HTMLTextAreaElement>(null);

  useLayoutEffect(() => {
    const element = field.current;
    const composerText = aui.composer.getState().text;
    if (element === null) return;
    if (element.value !== composerText) {
      element.value = composerText;
      element.setSelectionRange(composerText.length, composerText.length);
    }
    grow(element);
  }, [aui, text]);

  useEffect(() => {
    const element = field.current;
    if (element === null || !autoFocus || isTouch) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [autoFocus, isTouch]);

  return (
    <textarea
      ref={field}
      rows={1}
      // With `auto`, an empty field would be left-to-right; without `dir` it has the direction of the page.
      dir={text === "" ? undefined : "auto"}
      enterKeyHint={isTouch ? "enter" : "send"}
      placeholder={placeholder}
      aria-label={label}
      aria-describedby={describedBy}
      aria-keyshortcuts={sendKey === "enter" ? "Enter" : "Control+Enter"}
      className={join(styles["input"], className)}
      onInput={(event) => {
        aui.composer.setText(event.currentTarget.value);
        onType?.();
        grow(event.currentTarget);
      }}
      onPaste={(event) => {
        // Office programs copy text together with a picture of it. The text wins.
        if (event.clipboardData.types.includes("text/plain")) return;
        if (attach(event.clipboardData.files)) event.preventDefault();
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
  if (supportsFieldSizing) return;
  element.style.blockSize = "auto";
  element.style.blockSize = `${element.scrollHeight}px`;
}
