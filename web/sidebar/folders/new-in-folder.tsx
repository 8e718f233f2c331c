import Folder from "lucide-react/icons/folder";
import { useLabels } from "#web/data/labels/labels.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./folder-list.module.css";

/** Into which folder a new chat goes. Nothing for a folder that is gone. */
export function NewInFolder({ id }: { id: string }) {
  const folder = useLabels().folders.find((one) => one.id === id);
  if (folder === undefined) return null;
  return (
    <p dir="auto" className={styles["into"]}>
      <Icon of={Folder} size={15} />
      {t("sort.newIn", { name: folder.name })}
    </p>
  );
}
