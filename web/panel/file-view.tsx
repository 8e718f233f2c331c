import { useMemo, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { sourceOf } from "#web/data/files/own-file.ts";
import { usePartsOfCompared } from "#web/data/threads/comparisons.ts";
import { isImageType } from "#web/data/files/uploads/upload.ts";
import { CopyFileText } from "#web/parts/file/preview/copy-file-text.tsx";
import { FileContents } from "#web/parts/file/preview/file-preview-contents.tsx";
import { fileInChat } from "#web/ui/beside-chat/file-in-chat.ts";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { ImageButton } from "#web/ui/images/image-button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { PanelAddress } from "./panel-address.ts";
import { PanelHead, PanelTitle } from "./panel-head.tsx";
import type { PanelSearch } from "./panel-search.ts";
import { quoteOf, selectionIn } from "./quote.ts";
import { useWrite } from "./use-write.ts";
import styles from "./file-view.module.css";

export type OpenFile = { address: string; name: string; type: string; isPicture: boolean };

/** The stored file that the address names, if one of the loaded messages has it. */
export function useOpenFile(threadId: string, { panel, v }: PanelSearch): OpenFile | undefined {
  const id = /^file:(.+)$/.exec(panel ?? "")?.[1];
  const messages = useAuiState((s) => (id === undefined ? undefined : s.thread.messages));
  const compared = usePartsOfCompared(threadId, id === undefined ? undefined : v);
  const file = useMemo(
    () =>
      id === undefined || messages === undefined
        ? undefined
        : fileInChat([...messages, ...(compared === undefined ? [] : [{ parts: compared }])], id),
    [id, messages, compared],
  );
  if (file === undefined) return undefined;
  const { address, mediaType: type = "" } = file;
  const isPicture = file.isImage || isImageType(type);
  const name = file.name || t(isPicture ? "fileKind.image" : "fileKind.other");
  return { address, name, type, isPicture };
}

/** A file of the thread. */
export function OpenFileView({
  file: { address: fileAddress, name, type, isPicture },
  search,
  isOver,
  address,
}: {
  file: OpenFile;
  search: PanelSearch;
  /** Whether the panel covers the composer. */
  isOver: boolean;
  address: PanelAddress;
}) {
  const body = useRef<HTMLDivElement>(null);
  const write = useWrite(address, search, isOver);
  const source = sourceOf(fileAddress);
  return (
    <>
      <PanelHead
        name={<PanelTitle>{name}</PanelTitle>}
        search={search}
        isOver={isOver}
        address={address}
        onAsk={() => void write(quoteOf(selectionIn(body.current) || name))}
      >
        {!isPicture && <CopyFileText address={fileAddress} name={name} type={type} />}
        <DownloadLink href={sourceOf(fileAddress, true)} name={name} />
      </PanelHead>
      {/* The keyboard can scroll it. */}
      <div
        ref={body}
        role="region"
        aria-label={name}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={styles["body"]}
      >
        {isPicture ? (
          <Picture source={source} name={name} />
        ) : (
          <FileContents address={fileAddress} name={name} type={type} />
        )}
      </div>
    </>
  );
}

function Picture({ source, name }: { source: string; name: string }) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed)
    return (
      <Notice
        tone="danger"
        title={t("image.failed")}
        action={{ label: t("action.retry"), run: () => setFailed(false) }}
      />
    );
  return (
    <ImageButton source={source} name={name} className={styles["picture"]}>
      <img src={source} alt={name} onError={() => setFailed(true)} />
    </ImageButton>
  );
}
