import Search from "lucide-react/icons/search";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./screen.module.css";

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
        maxLength={254}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
