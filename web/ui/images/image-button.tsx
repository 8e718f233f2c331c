import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "#web/i18n/translate.ts";
import { Lightbox } from "./lightbox.tsx";
import type { OpenedImage } from "./opened-image.ts";

/** The pictures of the buttons on the page. */
const images = new WeakMap<Element, OpenedImage>();

/** A button that opens a picture in full size. From there, the other pictures of its message can be reached. */
export function ImageButton({
  source,
  name,
  className,
  children,
}: OpenedImage & { className: string | undefined; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<{ images: OpenedImage[]; start: number }>();
  useEffect(() => {
    if (button.current !== null) images.set(button.current, { source, name });
  }, [source, name]);
  const open = (pressed: Element) => {
    const buttons = [...(pressed.closest("article") ?? pressed).querySelectorAll("[data-image]")];
    const all = buttons.length === 0 ? [pressed] : buttons;
    setOpened({ images: all.flatMap((other) => images.get(other) ?? []), start: all.indexOf(pressed) });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        data-image
        className={className}
        aria-label={`${t("image.open")}: ${name}`}
        onClick={(event) => open(event.currentTarget)}
      >
        {children}
      </button>
      {opened !== undefined && <Lightbox {...opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
