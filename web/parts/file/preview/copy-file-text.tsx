import { useFileText, usePdfPages } from "#web/data/library/file-contents.ts";
import { CopyButton } from "#web/ui/copy/copy-button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { FileKind } from "../file-kind.ts";

/** Copies the text that `FileContents` shows, or that of the pages, once it is loaded. */
export function CopyFileText({ address, kind }: { address: string; kind: FileKind }) {
  return kind === "pdf" ? <CopyPagesText address={address} /> : <CopyPlainText address={address} />;
}

function CopyPagesText({ address }: { address: string }) {
  const { data: pages = [] } = usePdfPages(address);
  const text = pages.map((page) => page.text.trim()).join("\n\n");
  return text.trim() !== "" && <CopyButton text={() => text} />;
}

function CopyPlainText({ address }: { address: string }) {
  const { data } = useFileText(address);
  if (data === undefined || data.text === "") return null;
  return <CopyButton text={() => data.text} label={data.isAll ? undefined : t("file.copyBeginning")} />;
}
