import type { Failure } from "#web/data/failure.ts";
import { useFileText, usePdfPages } from "#web/data/library/file-contents.ts";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";
import type { FileKind } from "../file-kind.ts";
import { TablePreview } from "./table-preview.tsx";
import styles from "./file-preview.module.css";

/** The pages of a PDF, the rows of a table or the text. */
export function FileContents({ address, kind }: { address: string; kind: FileKind }) {
  return kind === "pdf" ? <PdfPreview address={address} /> : <TextPreview address={address} kind={kind} />;
}

function PdfPreview({ address }: { address: string }) {
  const { data: pages, failure, retry } = usePdfPages(address);
  if (pages === undefined) return <LoadState failure={failure} retry={retry} />;
  return (
    <ol className={styles["pages"]}>
      {pages.map((page, i) => (
        <li key={page.url}>
          <img src={page.url} alt={t("file.page", { number: i + 1, count: pages.length })} loading="lazy" />
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
