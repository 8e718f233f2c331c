import { useExtractedText, useFileText, usePdfPages } from "#web/data/files/file-contents.ts";
import { CopyButton } from "#web/ui/copy/copy-button.tsx";
import { t } from "#web/i18n/translate.ts";
import { fileForm } from "./file-form.ts";

/** Copies the text that `FileContents` shows, or that of the pages, once it is loaded. */
export function CopyFileText({ address, name, type }: { address: string; name: string; type: string }) {
  const form = fileForm(name, type);
  if (form === "pages") return <CopyPagesText address={address} />;
  if (form === "text") return <CopyPlainText address={address} />;
  return form === "extracted" && <CopyExtractedText address={address} />;
}

function CopyPagesText({ address }: { address: string }) {
  const { data: pages = [] } = usePdfPages(address);
  return <CopyLoaded text={pages.map((page) => page.text.trim()).join("\n\n")} />;
}

function CopyPlainText({ address }: { address: string }) {
  const { data } = useFileText(address);
  return <CopyLoaded text={data?.text} isAll={data?.isAll} />;
}

function CopyExtractedText({ address }: { address: string }) {
  const { data } = useExtractedText(address);
  return <CopyLoaded text={data?.text} isAll={data?.complete} />;
}

function CopyLoaded({
  text,
  isAll = true,
}: {
  text: string | null | undefined;
  isAll?: boolean | undefined;
}) {
  if (text === undefined || text === null || text.trim() === "") return null;
  return <CopyButton text={() => text} label={isAll ? undefined : t("file.copyBeginning")} />;
}
