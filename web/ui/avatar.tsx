import { useState } from "react";
import { avatarColours } from "#contract/avatars.ts";
import type { Avatar as Look } from "#contract/endpoints/assistants.ts";
import styles from "./avatar.module.css";
import { inApp } from "#web/lib/base-path.ts";

/** A letter or an emoji on a colour. Hidden from screen readers, because the name is beside it. */
export function Avatar({ look, size = "small" }: { look: Look; size?: "small" | "medium" | "large" }) {
  return (
    <span aria-hidden data-size={size} data-colour={look.colour} className={styles["avatar"]}>
      {look.text}
    </span>
  );
}

/** The picture of a person, or the initial of a person or a group on a colour that stays the same. */
export function PersonAvatar({
  id,
  name,
  picture = null,
  size = "small",
}: {
  id: string;
  name: string;
  picture?: string | null;
  size?: "small" | "large";
}) {
  // A picture that was replaced meanwhile is gone.
  const [failed, setFailed] = useState<string>();
  if (picture !== null && picture !== failed)
    return (
      <img
        src={inApp(picture)}
        alt=""
        aria-hidden
        data-size={size}
        className={styles["avatar"]}
        onError={() => setFailed(picture)}
      />
    );
  const sum = Array.from(id).reduce((total, character) => total + character.charCodeAt(0), 0);
  const initial = Array.from(name.trim())[0]?.toLocaleUpperCase() ?? "?";
  return <Avatar look={{ text: initial, colour: avatarColours[sum % avatarColours.length]! }} size={size} />;
}
