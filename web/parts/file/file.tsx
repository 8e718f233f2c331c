import { useMemo } from "react";
import Download from "lucide-react/icons/download";
import ExternalLink from "lucide-react/icons/external-link";
import FileText from "lucide-react/icons/file-text";
import { appUrl } from "#web/lib/base-path.ts";
import { fileIdOf, sourceOf } from "#web/data/files/own-file.ts";
import { isImageType } from "#web/data/files/uploads/upload.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { hostOf, allowedPicture, safeLink } from "#web/markdown/address.ts";
import { Picture } from "#web/markdown/picture.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { AudioPlayer } from "../audio/audio-player.tsx";
import { FileCard } from "./file-card.tsx";
import { bytesOf } from "./format-bytes.ts";
import { PictureTile } from "./picture-tile.tsx";
import type { PartProps } from "../part-view.ts";
import styles from "../parts.module.css";

/** A file: a picture, an audio player, or a chip that downloads it or opens its address. */
export function FileView({ part, role }: PartProps<"file">) {
  if (fileIdOf(part.data) !== undefined) return <StoredFile part={part} role={role} />;
  const isAddress = /^https?:/i.test(part.data);
  const data =
    isAddress || part.data.startsWith("data:") ? part.data : `data:${part.mimeType};base64,${part.data}`;
  const name = part.filename ?? t("fileKind.other");
  if (part.mimeType.startsWith("image/") && (isAddress || allowedPicture(data, appUrl("")) !== undefined)) {
    return <Picture address={data} alt={part.filename ?? ""} />;
  }
  return isAddress ? (
    <AddressChip address={data} name={name} />
  ) : (
    <DataChip data={data} name={name} mimeType={part.mimeType} />
  );
}

function StoredFile({ part: { data, mimeType, filename }, role }: Pick<PartProps<"file">, "part" | "role">) {
  const name = filename ?? t("fileKind.other");
  if (isImageType(mimeType) && role === "user")
    return <PictureTile address={data} name={filename ?? ""} type={mimeType} />;
  if (isImageType(mimeType)) return <Picture address={sourceOf(data)} alt={filename ?? ""} />;
  return <FileCard address={data} name={name} type={mimeType} />;
}

function AddressChip({ address, name }: { address: string; name: string }) {
  const href = safeLink(address);
  if (href === undefined) return <span className={styles["file"]}>{name}</span>;
  return (
    <a className={styles["file"]} href={href} target="_blank" rel="noopener noreferrer">
      <Icon of={FileText} />
      <span className="medium one-line">{name}</span>
      <span className="rigid text-2 ink-faint">{hostOf(href)}</span>
      <span className="visually-hidden">{t("file.open")}</span>
      <Icon of={ExternalLink} size={14} />
    </a>
  );
}

function DataChip({ data, name, mimeType }: { data: string; name: string; mimeType: string }) {
  // A blob link with `download` is always saved and never opened in this page.
  const bytes = useMemo(() => bytesOf(data), [data]);
  const save = () =>
    saveFile({ name, blob: new Blob([bytes ?? new Uint8Array()], { type: "application/octet-stream" }) });
  if (mimeType.startsWith("audio/")) return <AudioPlayer address={data} name={name} />;
  return (
    <button type="button" className={styles["file"]} disabled={bytes === undefined} onClick={save}>
      <Icon of={FileText} />
      <span className="medium one-line">{name}</span>
      <span className="rigid text-2 ink-faint">{mimeType}</span>
      <span className="visually-hidden">{t("file.download")}</span>
      <Icon of={Download} size={14} />
    </button>
  );
}
