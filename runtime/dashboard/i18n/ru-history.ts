export const ruHistory = {
  "empty.history":
    "С тех пор как ведётся история, ни через admin API, ни перечитыванием файлов ничего не меняли.",
  "history.change": "Изменение {{number}}",
  "history.conflicts_few":
    "Более поздние изменения затронули и {{count}} поля этого. Отмена вернёт их поверх более поздних:",
  "history.conflicts_many":
    "Более поздние изменения затронули и {{count}} полей этого. Отмена вернёт их поверх более поздних:",
  "history.conflicts_one":
    "Более позднее изменение затронуло и {{count}} поле этого. Отмена вернёт его поверх более позднего:",
  "history.conflicts_other":
    "Более поздние изменения затронули и {{count}} поля этого. Отмена вернёт их поверх более поздних:",
  "history.did_adopted": "перенесён в файл",
  "history.did_changed": "изменён",
  "history.did_deleted": "удалён",
  "history.did_expired": "истёк",
  "history.did_made": "создан",
  "history.export": "Экспорт конфигурации",
  "history.export_all": "Все ресурсы",
  "history.export_files": "Те, что в файлах",
  "history.export_store": "Те, что в хранилище",
  "history.export_sets":
    "Секретов в нём нет. Задайте там, где он используется, переменные: {{names}}. Для чего они, сказано в первых строках.",
  "history.exported_few": "В файле {{file}} {{count}} ресурса.",
  "history.exported_many": "В файле {{file}} {{count}} ресурсов.",
  "history.exported_one": "В файле {{file}} {{count}} ресурс.",
  "history.exported_other": "В файле {{file}} {{count}} ресурса.",
  "history.field": "Поле",
  "history.field_after": "после изменения {{number}}",
  "history.field_before": "до него",
  "history.field_now": "сейчас",
  "history.fields": "Поля",
  "history.how":
    "Откройте изменение по имени, чтобы увидеть построчно, что изменилось, и отменить его. Изменённое перечитыванием файлов отменяют в файлах.",
  "history.file_gone":
    "При перечитывании его больше не было в {{place}}, где он стоял. Вернуть его может только файл: впишите его туда снова и перечитайте.",
  "history.file_truth":
    "Он стоит в {{place}}, а файлов шлюз не пишет. Чтобы отменить изменение, измените его там и перечитайте.",
  "history.later":
    "С тех пор ресурс изменился. Более поздние изменения других полей останутся; отмена сделает вот что:",
  "history.no_match": "Подходящих изменений нет.",
  "history.nobody": "шлюз",
  "history.note": "Зачем",
  "history.note_hint": "По желанию: история сохранит это вместе с изменением.",
  "history.nothing": "ничего",
  "history.nothing_left": "С тех пор ресурс изменился, и отменять в нём больше нечего.",
  "history.of_files": "файлы конфигурации",
  "history.of_reload": "Ресурсов в этом перечитывании: {{count}}; в списке из них: {{kept}}.",
  "history.of_resource": "Его изменения",
  "history.older": "Более ранние",
  "history.only_of": "Изменения {{name}}",
  "history.open": "{{name}}, изменение {{number}}",
  "history.origin": "Где изменено",
  "history.origin_all": "Все",
  "history.origin_files": "Файлы",
  "history.origin_store": "Хранилище",
  "history.over": "Вернуть поверх более поздних",
  "history.revert": "Отменить это изменение",
  "history.reverts": "отменяет изменение {{number}}",
  "history.search": "Поиск изменений",
  "history.search_hint": "ресурс, ключ, файл, поле или зачем",
  "history.time": "Когда",
  "history.what": "Что",
  "history.who": "Кто",
  "history.whole":
    "С тех пор ресурс удалили или создали заново. Отмена поставит на его место прежнюю версию целиком:",
  "history.why": "Зачем",
  "live.undo_failed": "Не отменено",
  "live.undo_stopped":
    "Отменено {{done}} из {{count}}, дальше — отказ; остальное осталось, как было сохранено. {{reason}}",
  "live.undone": "Отменено, поколение {{generation}}",
  "live.undone_unheard": "Отменено. С тех пор шлюз не отвечает.",
};
