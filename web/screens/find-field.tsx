import Search from "lucide-react/icons/search";
import { limits } from "#contract/limits.ts";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./find-field.module.css";

/** The field that searches a list. */
export function FindField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <label className={styles["find"]}>
      <Icon of={Search} size={16} />
      <input
        type="search"
        dir={value === "" ? undefined : "auto"}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.emailCharacters}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
