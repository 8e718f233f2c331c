import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Minimize from "lucide-react/icons/minimize";
import X from "lucide-react/icons/x";
import ZoomIn from "lucide-react/icons/zoom-in";
import ZoomOut from "lucide-react/icons/zoom-out";
import { sourceOf } from "#web/data/files/own-file.ts";
import { printPercent, t } from "#web/i18n/translate.ts";
import { BesideChatButton } from "../beside-chat/beside-chat-button.tsx";
import { IconButton } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { DownloadLink } from "../download-link.tsx";
import { Notice } from "../notice.tsx";
import { Skeleton, SkeletonLine } from "../skeleton.tsx";
import type { OpenedImage } from "./opened-image.ts";
import { useZoom } from "./use-zoom.ts";
import styles from "./image-viewer.module.css";

/** One step of the buttons and keys. */
const step = 1.5;
/** Pixels that an arrow key moves an enlarged picture. */
const panStep = 80;

/** Pictures in full size over the page. Esc, the button or a press beside the picture closes it. */
export function ImageViewer({
  images,
  start,
  onClose,
}: {
  images: readonly OpenedImage[];
  start: number;
  onClose(): void;
}) {
  const count = images.length;
  const [index, setIndex] = useState(start);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  const [attempt, setAttempt] = useState(0);
  const sideways = document.documentElement.dir === "rtl" ? -1 : 1;
  const zoom = useZoom({ onSwipe: (to) => go(index + to * sideways), onPressBeside: onClose });
  const { box } = zoom;
  // The dialog gives the focus to its first button when it opens.
  useEffect(() => box.current?.focus(), [box]);
  const image = images[index];
  if (image === undefined) return null;

  const load = () => {
    zoom.reset();
    setState("loading");
    setAttempt(attempt + 1);
  };
  const go = (to: number) => {
    if (count === 1) return;
    setIndex((to + count) % count);
    load();
  };
  const isZoomed = zoom.zoom > 1;
  const move = (x: -1 | 0 | 1, y: -1 | 0 | 1) => {
    if (isZoomed) zoom.pan(x * panStep, y * panStep);
    else if (x !== 0) go(index + x * sideways);
  };
  const keys: Record<string, () => void> = {
    "+": () => zoom.zoomBy(step),
    "=": () => zoom.zoomBy(step),
    "-": () => zoom.zoomBy(1 / step),
    "0": zoom.fit,
    ArrowLeft: () => move(-1, 0),
    ArrowRight: () => move(1, 0),
    ArrowUp: () => move(0, -1),
    ArrowDown: () => move(0, 1),
  };
  // Outside of the message, whose styles are for its text.
  return createPortal(
    <Dialog label={image.name} className={styles["viewer"]} onClose={onClose}>
      {/* Key events of its controls bubble to it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={styles["view"]}
        onKeyDown={(event) => {
          // Not to the panel or the message from which it was opened.
          event.stopPropagation();
          const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
      >
        <header className={styles["head"]}>
          <h2 className="grow text-3 medium one-line" dir="auto">
            {image.name}
          </h2>
          {count > 1 && (
            <span role="status" className={styles["position"]}>
              {t("image.position", { number: index + 1, count })}
            </span>
          )}
          <BesideChatButton address={image.source} onOpen={onClose} />
          <DownloadLink href={sourceOf(image.source, true)} name={image.name} />
          <IconButton icon={X} label={t("action.close")} keys="Esc" onClick={onClose} />
        </header>
        {/* A press does what the buttons and keys do. */}
        <div
          ref={box}
          role="group"
          aria-label={t("fileKind.image")}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          dir="ltr"
          className={styles["box"]}
          data-zoomed={isZoomed || undefined}
          {...zoom.handlers}
        >
          {state === "failed" ? (
            <Notice
              tone="danger"
              title={t("image.failed")}
              action={{
                label: t("action.retry"),
                run: () => {
                  load();
                  // The button with the focus goes.
                  box.current?.focus();
                },
              }}
            />
          ) : (
            <img
              key={attempt}
              ref={zoom.picture}
              src={image.source}
              alt={image.name}
              draggable={false}
              data-shown={state === "shown" || undefined}
              style={zoom.width === undefined ? {} : { inlineSize: zoom.width }}
              onLoad={() => {
                zoom.measure();
                setState("shown");
              }}
              onError={() => setState("failed")}
            />
          )}
          {state === "loading" && (
            <div className={styles["loading"]}>
              <Skeleton label={t("image.loading")}>
                <SkeletonLine width={100} height="100%" />
              </Skeleton>
            </div>
          )}
        </div>
        {count > 1 && (
          <>
            <IconButton
              icon={ChevronLeft}
              size={24}
              label={t("image.previous")}
              className={styles["previous"]}
              onClick={() => go(index - 1)}
            />
            <IconButton
              icon={ChevronRight}
              size={24}
              label={t("image.next")}
              className={styles["next"]}
              onClick={() => go(index + 1)}
            />
          </>
        )}
        {/* A disabled button would lose the focus, and with it the keys. */}
        <div role="group" aria-label={t("image.zoom")} className={styles["zoom"]}>
          <IconButton
            icon={ZoomOut}
            label={t("image.zoomOut")}
            keys="-"
            aria-disabled={!isZoomed}
            onClick={() => zoom.zoomBy(1 / step)}
          />
          <output className={styles["scale"]}>{zoom.scale !== undefined && printPercent(zoom.scale)}</output>
          <IconButton
            icon={ZoomIn}
            label={t("image.zoomIn")}
            keys="+"
            aria-disabled={!zoom.canEnlarge}
            onClick={() => zoom.zoomBy(step)}
          />
          <IconButton
            icon={Minimize}
            label={t("image.fit")}
            keys="0"
            aria-disabled={!isZoomed}
            onClick={zoom.fit}
          />
        </div>
      </div>
    </Dialog>,
    document.body,
  );
}
