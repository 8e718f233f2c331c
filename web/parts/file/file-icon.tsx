import type { LucideIcon } from "lucide-react";
import FileArchive from "lucide-react/icons/file-archive";
import FileAudio from "lucide-react/icons/file-audio";
import FileCode from "lucide-react/icons/file-code";
import FileImage from "lucide-react/icons/file-image";
import GenericFile from "lucide-react/icons/file";
import FileSpreadsheet from "lucide-react/icons/file-spreadsheet";
import FileText from "lucide-react/icons/file-text";
import FileVideo from "lucide-react/icons/file-video";
import { join } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { fileKind, type FileKind } from "./file-kind.ts";
import styles from "./file-icon.module.css";

const icons: { [K in FileKind]: LucideIcon } = {
  pdf: FileText,
  image: FileImage,
  audio: FileAudio,
  video: FileVideo,
  table: FileSpreadsheet,
  code: FileCode,
  text: FileText,
  archive: FileArchive,
  other: GenericFile,
};

/** An icon for the file's kind. Hidden from screen readers, because the name is beside it. */
export function FileIcon({
  name,
  type,
  className,
}: {
  name: string;
  type: string;
  className?: string | undefined;
}) {
  const kind = fileKind(name, type);
  return (
    <span className={join(styles["mark"], className)} data-kind={kind} aria-hidden>
      <Icon of={icons[kind]} size={18} />
    </span>
  );
}
