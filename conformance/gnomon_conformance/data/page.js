const filter = document.querySelector(".filter"), input = filter.querySelector("input");
filter.hidden = false;
input.addEventListener("input", () => {
  const part = input.value.toLowerCase();
  for (const section of document.querySelectorAll("details:has(> .wide > .matrix)")) {
    let shown = 0;
    for (const row of section.querySelectorAll("tbody tr")) {
      row.hidden = !row.querySelector("code").textContent.toLowerCase().includes(part);
      shown += !row.hidden;
    }
    section.hidden = !shown;
    if (part && shown) section.open = true;
  }
});
for (const button of document.querySelectorAll("article button")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => navigator.clipboard.writeText(button.nextElementSibling.textContent));
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => (each.open = true)));
