import { type ReactNode, useRef, useSyncExternalStore, useEffect, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import RotateCw from "lucide-react/icons/rotate-cw";
import X from "lucide-react/icons/x";
import { appUrl } from "#web/lib/base-path.ts";
import type { CallFailure } from "#web/data/call-error.ts";
import { translateKeptFailure } from "#web/data/failure.ts";
import { sourceOf, thumbnailOf } from "#web/data/files/own-file.ts";
import { useServices } from "#web/data/provider.tsx";
import { isImageType, type Upload } from "#web/data/files/uploads/upload.ts";
import { allowedPicture } from "#web/markdown/address.ts";
import { touchOnly } from "#web/lib/use-media-query.ts";
import { FileSummary } from "#web/parts/file/file-summary.tsx";
import { useFocusPastRemoval } from "#web/selection/focus-past-removal.ts";
import { IconButton } from "#web/ui/button.tsx";
import { printBytes, t } from "#web/i18n/translate.ts";
import styles from "./attachment-list.module.css";

/** The attachments of the current message with their upload progress. */
export function Attachments() {
  const attachments = useAuiState((s) => s.composer.attachments);
  const { uploads } = useServices();
  const all = useSyncExternalStore(uploads.all.subscribe, uploads.all.get);
  const aui = useAui();
  if (attachments.length === 0) return null;
  return (
    <List>
      {attachments.map(({ id, name, contentType, content }) => (
        <AttachedFile
          key={id}
          name={name}
          type={contentType ?? ""}
          stored={content?.find((part) => part.type === "image")?.image}
          upload={all.find((upload) => upload.id === id)}
          onRetry={() => uploads.retry(id)}
          onRemove={() => void aui.composer.attachment({ id }).remove()}
        />
      ))}
    </List>
  );
}

function List({ children }: { children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  useFocusPastRemoval(list, textField);
  return (
    <ul ref={list} className={styles["attachments"]} aria-label={t("attach.list")}>
      {children}
    </ul>
  );
}

/** The text field of the message. Not on a phone, where focusing it opens the keyboard. */
function textField(list: HTMLElement): HTMLElement | null | undefined {
  return matchMedia(touchOnly).matches ? null : list.closest("form")?.querySelector("textarea");
}

function AttachedFile({
  name,
  type,
  stored,
  upload,
  onRetry,
  onRemove,
}: {
  name: string;
  type: string;
  /** The address of a picture that is stored already. */
  stored: string | undefined;
  /** `undefined` for attachments that an edited message already has. */
  upload: Upload | undefined;
  onRetry(): void;
  onRemove(): void;
}) {
  const { uploads } = useServices();
  const file = upload === undefined ? undefined : uploads.fileOf(upload.id);
  const localUrl = useObjectUrl(file, type);
  // A file that the server had before has no bytes on the device.
  const storedAddress = stored ?? (file === undefined && isImageType(type) ? upload?.address : undefined);
  const failed = upload?.state === "failed";
  return (
    <li className={styles["attached"]} data-failed={failed || undefined}>
      <FileSummary
        name={name}
        type={type}
        sources={localUrl === undefined ? sourcesOf(storedAddress) : [localUrl]}
        details={upload !== undefined && <Status upload={upload} />}
      />
      {failed && canRetry(upload) && (
        <IconButton icon={RotateCw} size={15} label={t("action.retry")} onClick={onRetry} />
      )}
      <IconButton icon={X} size={15} label={t("attach.remove", { name })} onClick={onRemove} />
      {upload?.state === "uploading" && <Progress upload={upload} />}
    </li>
  );
}

/** A full quota can be retried after the person has deleted something. */
function canRetry({ failure }: Upload): boolean {
  return failure?.retry === true || failure?.code === "quota-full";
}

/** The thumbnail if the server has one, else the picture itself if it is of this origin. */
function sourcesOf(stored: string | undefined): string[] {
  if (stored === undefined) return [];
  const source = thumbnailOf(stored) ?? allowedPicture(sourceOf(stored), appUrl(""));
  return source === undefined ? [] : [source];
}

function Status({ upload: { state, failure, sizeBytes, sentBytes } }: { upload: Upload }) {
  const size = printBytes(sizeBytes);
  return (
    <span role={state === "failed" ? "alert" : undefined}>
      {state === "failed" && failure !== undefined && failureText(failure)}
      {state === "waiting" && t("attach.waiting")}
      {state === "uploading" && t("attach.progress", { percent: percentOf(sentBytes, sizeBytes), size })}
      {state === "ready" && size}
    </span>
  );
}

function failureText(failure: CallFailure): string {
  const isGone = failure.code === "file-not-found" && !failure.retry;
  return isGone ? t("attach.gone") : translateKeptFailure(failure).message;
}

function Progress({ upload: { name, sentBytes, sizeBytes } }: { upload: Upload }) {
  return (
    <progress
      className={styles["progress"]}
      aria-label={t("attach.uploading", { name })}
      max={100}
      value={percentOf(sentBytes, sizeBytes)}
    />
  );
}

/** Whole percent, at most 99 until the server has confirmed the upload. */
function percentOf(sentBytes: number, sizeBytes: number): number {
  return sizeBytes === 0 ? 0 : Math.min(99, Math.floor((100 * sentBytes) / sizeBytes));
}

/** An object URL for a picture while it is mounted; `undefined` for other files. */
function useObjectUrl(file: Blob | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  const picture = isImageType(type) ? file : undefined;
  useEffect(() => {
    if (picture === undefined || picture.size === 0) return undefined;
    const objectUrl = URL.createObjectURL(picture);
    setUrl(objectUrl);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(objectUrl);
    };
  }, [picture]);
  return url;
}
