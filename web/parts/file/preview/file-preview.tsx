import X from "lucide-react/icons/x";
import type { Failure } from "#web/data/failure.ts";
import { useFileText, usePdfPages } from "#web/data/library/file-contents.ts";
import { sourceOf } from "#web/data/library/own-file.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { t } from "#web/i18n/translate.ts";
import type { FileKind } from "../file-kind.ts";
import { TablePreview } from "./table-preview.tsx";
import styles from "./file-preview.module.css";

/** A preview of a file: the pages of a PDF, the rows of a table or the text. */
export function FilePreview({
  address,
  name,
  kind,
  onClose,
}: {
  address: string;
  name: string;
  kind: FileKind;
  onClose(): void;
}) {
  return (
    <Dialog label={name} className={styles["preview"]} onClose={onClose}>
      <header className={styles["head"]}>
        <h2 className={styles["name"]} dir="auto">
          {name}
        </h2>
        <DownloadLink href={sourceOf(address, true)} name={name} />
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </header>
      {/* The keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["body"]} tabIndex={0} role="region" aria-label={name}>
        {kind === "pdf" ? <PdfPreview address={address} /> : <TextPreview address={address} kind={kind} />}
      </div>
    </Dialog>
  );
}

function PdfPreview({ address }: { address: string }) {
  const { data: pages, failure, retry } = usePdfPages(address);
  if (pages === undefined) return <LoadState failure={failure} retry={retry} />;
  return (
    <ol className={styles["pages"]}>
      {pages.map((page, i) => (
        <li key={page}>
          <img src={page} alt={t("file.page", { number: i + 1, count: pages.length })} loading="lazy" />
        </li>
      ))}
    </ol>
  );
}

function TextPreview({ address, kind }: { address: string; kind: FileKind }) {
  const { data, failure, retry } = useFileText(address);
  if (data === undefined) return <LoadState failure={failure} retry={retry} />;
  const plainText = (
    <pre className={styles["text"]} dir={kind === "code" ? "ltr" : "auto"}>
      {data.text}
    </pre>
  );
  return (
    <>
      {kind === "table" ? <TablePreview text={data.text} fallback={plainText} /> : plainText}
      {!data.isAll && <p className={styles["more"]}>{t("file.beginning")}</p>}
    </>
  );
}

function LoadState({ failure, retry }: { failure: Failure | undefined; retry(): void }) {
  if (failure !== undefined)
    return (
      <Notice
        tone="loss"
        title={t("file.previewFailed")}
        text={failure.message}
        action={{ label: t("action.retry"), run: retry }}
      />
    );
  return (
    <Skeleton label={t("file.previewLoading")}>
      <SkeletonLine width={92} />
      <SkeletonLine width={100} />
      <SkeletonLine width={71} />
    </Skeleton>
  );
}
