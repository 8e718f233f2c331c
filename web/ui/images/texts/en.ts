export const texts = {
  "image.position": "Image {number} of {count}",
  "image.previous": "Previous image",
  "image.next": "Next image",
  "image.zoom": "Zoom",
  "image.zoomIn": "Zoom in",
  "image.zoomOut": "Zoom out",
  "image.fit": "Fit to window",
  "image.loading": "Loading the image",
  "image.failed": "Couldn’t load the image",
  "panel.openBeside": "Open beside the chat",
} as const;
