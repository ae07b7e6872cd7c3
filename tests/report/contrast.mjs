// Runs in a page: what can be told apart from what is behind it.

/** The contrast of each element with its ground, by WCAG 2: of its paint in a drawing, of its letters, else of its own ground. */
export function contrasts(selector) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  /** Red, green, blue and opacity, however the colour is written. */
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = 'transparent';
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, opacity], below) => [r, g, b].map((value, part) => value * opacity + below[part] * (1 - opacity));
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = parts(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, ground(element.parentElement));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paint = (element) => {
    const { stroke, fill, fillOpacity, color, backgroundColor } = getComputedStyle(element);
    if (!(element instanceof SVGElement)) return parts(element.textContent ? color : backgroundColor);
    if (stroke !== 'none') return parts(stroke);
    const [r, g, b, opacity] = parts(fill);
    return [r, g, b, opacity * Number(fillOpacity)];
  };
  const looked = [...document.querySelectorAll(selector)].filter((element) => element.getClientRects().length).map((element) => {
    const isGround = !(element instanceof SVGElement) && !element.textContent;
    const behind = ground(isGround ? element.parentElement : element.closest('svg') ?? element);
    const seen = over(paint(element), behind);
    const [low, high] = [light(behind), light(seen)].sort((a, b) => a - b);
    const name = `${element.parentElement.getAttribute('class') ?? ''} ${element.localName}.${element.getAttribute('class') ?? ''}`.trim();
    return { name, seen: seen.map(Math.round).join(), behind: behind.map(Math.round).join(), ratio: (high + 0.05) / (low + 0.05) };
  });
  return [...new Map(looked.map((each) => [`${each.name} ${each.seen} ${each.behind}`, each])).values()];
}
