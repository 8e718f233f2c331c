import { useRef, useState } from "react";
import type { Me } from "#contract/endpoints/auth.ts";
import { limits } from "#contract/limits.ts";
import { useProfile } from "#web/data/session/profile.ts";
import { PersonAvatar } from "#web/ui/avatar.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** Pixels of each side: sharp on dense screens wherever pictures are shown. */
const side = 256;

/** The picture of this person, which others see beside their name. */
export function PictureField({ me }: { me: Me }) {
  const { profile, update } = useProfile();
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const picture = profile?.picture_url ?? null;

  async function save(next: () => Promise<string | null>): Promise<void> {
    setSaving(true);
    try {
      await update({ picture: await next() });
    } catch (error) {
      if (error instanceof UnreadablePictureError) showToast(t("picture.unreadable"), { tone: "danger" });
      else showFailure(error);
    } finally {
      setSaving(false);
    }
  }

  return (
    <div role="group" aria-label={t("picture.label")} className="row wrap gap-3 below-6">
      <PersonAvatar id={me.user_id} name={me.name ?? me.email ?? ""} picture={picture} size="large" />
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={t("picture.choose")}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file !== undefined) void save(async () => await squareOf(file));
        }}
      />
      <Button ref={chooseButton} disabled={isSaving} onClick={() => input.current?.click()}>
        {t(picture === null ? "picture.choose" : "picture.replace")}
      </Button>
      {picture !== null && (
        <Button
          disabled={isSaving}
          onClick={() => {
            chooseButton.current?.focus();
            void save(async () => null);
          }}
        >
          {t("picture.remove")}
        </Button>
      )}
    </div>
  );
}

class UnreadablePictureError extends Error {}

/**
 * The middle of the picture as a small square, without the camera's metadata: a `data:` URL. Throws
 * `UnreadablePictureError`.
 */
async function squareOf(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file).catch((cause: unknown) => {
    throw new UnreadablePictureError("The browser cannot read the picture.", { cause });
  });
  const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const length = Math.min(bitmap.width, bitmap.height);
  const [x, y] = [(bitmap.width - length) / 2, (bitmap.height - length) / 2];
  canvas.getContext("2d")!.drawImage(bitmap, x, y, length, length, 0, 0, side, side);
  bitmap.close();
  // Browsers that cannot write WebP write PNG, which may be too large.
  const url = [canvas.toDataURL("image/webp", 0.85), canvas.toDataURL("image/jpeg", 0.85)].find(
    (made) => (made.length * 3) / 4 < limits.pictureBytes,
  );
  if (url === undefined) throw new UnreadablePictureError("The picture stays too large.");
  return url;
}
